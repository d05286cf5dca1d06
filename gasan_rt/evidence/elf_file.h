/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the sections of a 64-bit little-endian ELF file in memory. The file may be damaged in any way: no function
 * reads outside of its bytes. Any thread; no lock. Pointers lead into the file's bytes. */
#ifndef GASAN_RT_ELF_FILE_H
#define GASAN_RT_ELF_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* A part of a file. */
struct gasan_bytes {
  const uint8_t *at;
  uint64_t size;
};

struct gasan_elf {
  struct gasan_bytes file;
  uint64_t headers; /* offset of the section headers */
  uint32_t count;   /* sections, 0 included */
  struct gasan_bytes names;
  uint16_t type, machine;
  uint8_t system;       /* EI_OSABI */
  uint64_t end;         /* offset behind the section headers, and behind all sections of a complete file */
  uint64_t header_size; /* of a section header */
};

struct gasan_elf_section {
  const char *name; /* "" if the file does not have it */
  uint32_t type, link, info;
  uint64_t flags, address, entry_size;
  uint64_t size;            /* in memory */
  struct gasan_bytes bytes; /* empty: the file does not have them */
};

/* Returns false if the bytes are no such file, or if its section headers are not in it. */
bool gasan_elf_open(struct gasan_elf *elf, struct gasan_bytes file);
/* Returns false if there is no such section. */
bool gasan_elf_section(const struct gasan_elf *elf, uint32_t index, struct gasan_elf_section *section);
/* Finds the first section with this name. */
bool gasan_elf_find(const struct gasan_elf *elf, const char *name, struct gasan_elf_section *section);

/* Returns the string at an offset; "" if no whole string is there. */
const char *gasan_bytes_string(struct gasan_bytes bytes, uint64_t offset);
/* Returns a part; an empty one if it is not inside. */
struct gasan_bytes gasan_bytes_part(struct gasan_bytes bytes, uint64_t offset, uint64_t size);
/* Return the little-endian number at an offset; 0 if it is not inside. */
uint32_t gasan_bytes_u32(struct gasan_bytes bytes, uint64_t offset);
uint64_t gasan_bytes_u64(struct gasan_bytes bytes, uint64_t offset);

#endif
