/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads sections and symbols of a 64-bit ELF object. A malformed file counts as having no sections and no symbols. */
#ifndef GASAN_DRIVER_ELF_SECTIONS_H
#define GASAN_DRIVER_ELF_SECTIONS_H

#include "driver/file.h"
#include "driver/strings.h"

bool gasan_elf_is_relocatable(struct gasan_bytes object);
/* Finds a section by its name. Returns false if there is none. The result points into `object`. */
bool gasan_elf_find_section(struct gasan_bytes object, const char *name, struct gasan_bytes *section);
/* Returns the name of the symbol with this index in the object's table, or "". The result points into `object`. */
const char *gasan_elf_symbol(struct gasan_bytes object, size_t index);
/* Adds the names of the symbols that start with `prefix` and are undefined (or, with `defined`, defined) to `names`,
 * each once. */
void gasan_elf_add_symbols(struct gasan_bytes object, const char *prefix, bool defined, struct gasan_strings *names);

#endif
