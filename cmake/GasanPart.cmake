# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gasan_part(name SOURCES ... USES ...): the library of one folder. It sees the repository's root as include path and
# the
# libraries that it names; tools/check_layers.py (run by the tests) checks that includes follow DESIGN's arrows.
#
# GASAN_HOST_SANITIZERS (presets asan and tsan): all host code, but for sanitizer_common, is built with these
# sanitizers.
# Their runtime is a shared library, since both libgasan_rt.so and the programs that use it need it.
set(GASAN_HOST_SANITIZERS "" CACHE STRING "Build host code with these sanitizers: address,undefined or thread")
if(GASAN_HOST_SANITIZERS)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${GASAN_HOST_SANITIZERS}>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=all>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=${GASAN_HOST_SANITIZERS} -shared-libsan)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libclang_rt.asan-x86_64.so
                  OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(GET runtime PARENT_PATH CMAKE_BUILD_RPATH)
endif()

add_library(gasan_warnings INTERFACE)
target_compile_options(gasan_warnings INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter)

function(gasan_part name)
  cmake_parse_arguments(PART "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${PART_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE gasan_warnings PUBLIC ${PART_USES})
endfunction()
