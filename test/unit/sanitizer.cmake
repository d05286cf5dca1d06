# The probe of sanitizer_test: a C program over a shared library that stands in for libgasan_rt.so, once plain and once
# under the host's own AddressSanitizer. A build with GASAN_HOST_SANITIZERS leaves the test out: it is about the probes'
# symbols, libraries and frames, which sanitizers change.
if(TARGET gasan_sanitizer AND NOT GASAN_HOST_SANITIZERS)
  include(CheckCCompilerFlag)
  set(CMAKE_REQUIRED_LINK_OPTIONS -fsanitize=address)
  check_c_compiler_flag(-fsanitize=address GASAN_HAVE_HOST_ASAN)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)

  # It lies where libgasan_rt.so lies, so that it finds the symbolizer that is installed with it.
  add_library(gasan_sanitizer_probe SHARED sanitizer_probe_api.c)
  target_link_libraries(gasan_sanitizer_probe PRIVATE gasan_warnings gasan_sanitizer)
  target_link_options(gasan_sanitizer_probe PRIVATE LINKER:-z,defs)
  set_target_properties(gasan_sanitizer_probe PROPERTIES LINKER_LANGUAGE C)
  if(TARGET gasan_symbolizer)
    add_dependencies(gasan_sanitizer_probe gasan_symbolizer)
  endif()

  foreach(plugin sanitizer_probe_plugin_a sanitizer_probe_plugin_b)
    add_library(${plugin} MODULE sanitizer_probe_plugin.c)
    target_include_directories(${plugin} PRIVATE ${CMAKE_SOURCE_DIR})
    target_compile_options(${plugin} PRIVATE -g)
    target_link_libraries(${plugin} PRIVATE gasan_warnings gasan_sanitizer_probe)
    set_target_properties(${plugin} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endforeach()

  set(sanitizer_probes sanitizer_probe)
  if(GASAN_HAVE_HOST_ASAN)
    list(APPEND sanitizer_probes sanitizer_probe_asan)
  endif()
  foreach(probe ${sanitizer_probes})
    add_executable(${probe} sanitizer_probe.c)
    target_include_directories(${probe} PRIVATE ${CMAKE_SOURCE_DIR})
    target_compile_options(${probe} PRIVATE -O1 -g -fomit-frame-pointer -fno-optimize-sibling-calls)
    target_compile_definitions(${probe} PRIVATE
                               GASAN_TEST_PLUGIN_A="$<TARGET_FILE:sanitizer_probe_plugin_a>"
                               GASAN_TEST_PLUGIN_B="$<TARGET_FILE:sanitizer_probe_plugin_b>")
    target_link_libraries(${probe} PRIVATE gasan_warnings gasan_sanitizer_probe pthread dl)
    add_dependencies(${probe} sanitizer_probe_plugin_a sanitizer_probe_plugin_b)
    set_target_properties(${probe} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endforeach()

  gasan_unit_test(sanitizer_test SOURCES sanitizer_test.c USES gasan_sanitizer)
  add_dependencies(sanitizer_test ${sanitizer_probes})
  target_compile_definitions(sanitizer_test PRIVATE
                             GASAN_TEST_PROBE="$<TARGET_FILE:sanitizer_probe>"
                             GASAN_TEST_PROBE_LIBRARY="$<TARGET_FILE:gasan_sanitizer_probe>"
                             GASAN_TEST_ARCHIVE="$<TARGET_FILE:gasan_sanitizer>"
                             GASAN_TEST_NM="${GASAN_LLVM_ROOT}/bin/llvm-nm")
  if(GASAN_HAVE_HOST_ASAN)
    target_compile_options(sanitizer_probe_asan PRIVATE -fsanitize=address)
    target_link_options(sanitizer_probe_asan PRIVATE -fsanitize=address)
    target_compile_definitions(sanitizer_test PRIVATE GASAN_TEST_PROBE_ASAN="$<TARGET_FILE:sanitizer_probe_asan>")
  endif()
endif()
