/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds source lines of device code in a .debug_line section (DWARF 2 to 5, with the operations by which ptxas
 * describes inlined calls). The section may be damaged in any way. Any thread; no lock. */
#ifndef GASAN_RT_LINE_TABLE_H
#define GASAN_RT_LINE_TABLE_H

#include "gasan_rt/evidence/elf_file.h"

struct gasan_line_sections {
  struct gasan_bytes lines, strings, line_strings; /* .debug_line, .debug_str, .debug_line_str */
};

struct gasan_line {
  const char *folder, *file; /* never NULL; folder "": not known */
  uint32_t line;
  const char *function; /* symbol of the inlined function that has the line; NULL: the code's own function has it */
};

/* Writes the lines of the instruction at `address`, innermost first: its own, and those of the calls that were inlined.
 * Returns their number, at most `most`; 0: the section does not have the address. The strings lead into the sections.
 */
uint32_t gasan_line_table_find(const struct gasan_line_sections *sections, uint64_t address, struct gasan_line *lines,
                               uint32_t most);

#endif
