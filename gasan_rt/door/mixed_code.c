/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/door/mixed_code.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/door/loaded_code.h"
#include "gasan_rt/instrument/code_image.h"
#include "gasan_rt/report/site_table.h"

#define IS_KERNEL 0x10 /* in st_other: STO_CUDA_ENTRY */

struct kernel {
  struct kernel *next;
  char symbol[];
};
static struct kernel *unchecked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the bytes, or NULL if they are not inside of the image. */
static const void *bytes_at(const struct gasan_code_image *image, uint64_t offset, uint64_t size) {
  return offset <= image->size && size <= image->size - offset ? (const char *)image->data + offset : NULL;
}

/* Returns the section; its bytes are in the image. */
static const void *read_section(const struct gasan_code_image *image, unsigned number, Elf64_Shdr *section) {
  Elf64_Ehdr header;
  memcpy(&header, image->data, sizeof header);
  const void *entry = bytes_at(image, header.e_shoff + (uint64_t)number * sizeof *section, sizeof *section);
  if (!entry || number >= header.e_shnum)
    return NULL;
  memcpy(section, entry, sizeof *section);
  return section->sh_type == SHT_NOBITS ? NULL : bytes_at(image, section->sh_offset, section->sh_size);
}

struct symbols {
  const char *entries, *names;
  size_t count, names_size;
};

static bool find_symbols(const struct gasan_code_image *image, struct symbols *symbols) {
  Elf64_Ehdr header;
  Elf64_Shdr table, names;
  if (image->size < sizeof header)
    return false;
  memcpy(&header, image->data, sizeof header);
  for (unsigned i = 0; i < header.e_shnum; i++) {
    const void *entries = read_section(image, i, &table);
    if (!entries || table.sh_type != SHT_SYMTAB)
      continue;
    symbols->names = read_section(image, table.sh_link, &names);
    if (!symbols->names || !names.sh_size || symbols->names[names.sh_size - 1])
      return false;
    symbols->entries = entries;
    symbols->count = table.sh_size / sizeof(Elf64_Sym);
    symbols->names_size = names.sh_size;
    return true;
  }
  return false;
}

static const char *read_symbol(const struct symbols *symbols, size_t index, Elf64_Sym *symbol) {
  memcpy(symbol, symbols->entries + index * sizeof *symbol, sizeof *symbol);
  return symbol->st_name < symbols->names_size ? symbols->names + symbol->st_name : "";
}

static struct gasan_sites *read_sites(const struct gasan_code_image *image, const struct symbols *symbols) {
  for (size_t i = 0; i < symbols->count; i++) {
    Elf64_Sym symbol;
    Elf64_Shdr section;
    if (strcmp(read_symbol(symbols, i, &symbol), GASAN_SITES_SYMBOL) != 0)
      continue;
    const char *bytes = read_section(image, symbol.st_shndx, &section);
    if (bytes && symbol.st_value <= section.sh_size && symbol.st_size <= section.sh_size - symbol.st_value)
      return gasan_sites_parse(bytes + symbol.st_value, symbol.st_size);
  }
  return NULL;
}

static void add(const char *name) {
  const size_t size = strlen(name) + 1;
  struct kernel *added = gasan_mixed_code_has(name) ? NULL : malloc(sizeof *added + size);
  if (!added)
    return;
  memcpy(added->symbol, name, size);
  pthread_mutex_lock(&lock);
  added->next = unchecked;
  unchecked = added;
  pthread_mutex_unlock(&lock);
}

void gasan_mixed_code_note(const char *api, const void *image) {
  const struct gasan_code_image found = gasan_code_image_at(image);
  struct symbols symbols;
  unsigned count = 0;
  if (found.form != GASAN_CODE_CUBIN || !find_symbols(&found, &symbols))
    return;
  struct gasan_sites *sites = read_sites(&found, &symbols);
  for (size_t i = 0; sites && i < symbols.count; i++) {
    Elf64_Sym symbol;
    const char *name = read_symbol(&symbols, i, &symbol);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !(symbol.st_other & IS_KERNEL) || !*name ||
        strncmp(name, "__gasan_", strlen("__gasan_")) == 0 || gasan_sites_pretty_kernel(sites, name))
      continue;
    add(name);
    count++;
  }
  gasan_sites_free(sites);
  char why[128];
  snprintf(why, sizeof why, "the link has joined it with checked code (%u of its kernels)", count);
  gasan_loaded_code_say_why(api, count ? why : "");
}

bool gasan_mixed_code_has(const char *symbol) {
  pthread_mutex_lock(&lock);
  const struct kernel *kernel = unchecked;
  while (kernel && strcmp(kernel->symbol, symbol) != 0)
    kernel = kernel->next;
  pthread_mutex_unlock(&lock);
  return kernel != NULL;
}
