# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gasan_part(name SOURCES ... USES ...): the library of one folder. It sees the repository's root as include path and the
# libraries that it names; tools/check_layers.py (run by the tests) checks that includes follow DESIGN's arrows.
add_library(gasan_warnings INTERFACE)
target_compile_options(gasan_warnings INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter)

function(gasan_part name)
  cmake_parse_arguments(PART "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${PART_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE gasan_warnings PUBLIC ${PART_USES})
endfunction()
