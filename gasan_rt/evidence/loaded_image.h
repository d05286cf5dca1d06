/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds symbols, instructions and lines in a module's image (an ELF file with the addresses of the loaded code). The
 * image may be damaged in any way. Any thread; no lock. Pointers lead into the image's bytes. */
#ifndef GASAN_RT_LOADED_IMAGE_H
#define GASAN_RT_LOADED_IMAGE_H

#include "gasan_rt/evidence/elf_file.h"
#include "gasan_rt/evidence/line_table.h"

struct gasan_loaded_code {
  const char *function; /* symbol of the function that has the address; NULL: not known */
  uint64_t offset;      /* from the function's start, or from that of its section */
  const char *kernel;   /* symbol of the kernel whose section has the address; NULL: not known */
  struct gasan_bytes instruction;
};

/* Returns false if the image does not have code at the address. */
bool gasan_loaded_image_find(struct gasan_bytes image, uint64_t address, struct gasan_loaded_code *code);

/* As gasan_line_table_find. */
uint32_t gasan_loaded_image_lines(struct gasan_bytes image, uint64_t address, struct gasan_line *lines, uint32_t most);

#endif
