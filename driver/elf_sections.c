/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/elf_sections.h"

#include <elf.h>
#include <string.h>

/* Copies section headers, which may be unaligned inside an archive. */
static bool read_header(struct gasan_bytes object, Elf64_Ehdr *header) {
  if (object.size < sizeof *header)
    return false;
  memcpy(header, object.data, sizeof *header);
  return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
         header->e_shentsize == sizeof(Elf64_Shdr);
}

bool gasan_elf_is_relocatable(struct gasan_bytes object) {
  Elf64_Ehdr header;
  return read_header(object, &header) && header.e_type == ET_REL;
}

static bool read_section(struct gasan_bytes object, const Elf64_Ehdr *header, size_t index, Elf64_Shdr *section) {
  if (header->e_shoff > object.size || (object.size - header->e_shoff) / sizeof *section <= index)
    return false;
  memcpy(section, object.data + header->e_shoff + index * sizeof *section, sizeof *section);
  return section->sh_type == SHT_NOBITS ||
         (section->sh_offset <= object.size && section->sh_size <= object.size - section->sh_offset);
}

/* Returns the number of sections. An object with very many sections stores their number, and the index of their names,
 * in the first section header. */
static size_t section_count(struct gasan_bytes object, const Elf64_Ehdr *header) {
  Elf64_Shdr first;
  if (header->e_shnum)
    return header->e_shnum;
  return read_section(object, header, 0, &first) ? first.sh_size : 0;
}

static size_t names_index(struct gasan_bytes object, const Elf64_Ehdr *header) {
  Elf64_Shdr first;
  if (header->e_shstrndx != SHN_XINDEX)
    return header->e_shstrndx;
  return read_section(object, header, 0, &first) ? first.sh_link : 0;
}

static const char *read_name(struct gasan_bytes object, const Elf64_Shdr *names, size_t offset) {
  if (offset >= names->sh_size || !memchr(object.data + names->sh_offset + offset, 0, names->sh_size - offset))
    return "";
  return (const char *)object.data + names->sh_offset + offset;
}

bool gasan_elf_find_section(struct gasan_bytes object, const char *name, struct gasan_bytes *section) {
  Elf64_Ehdr header;
  Elf64_Shdr names, candidate;
  if (!read_header(object, &header) || !read_section(object, &header, names_index(object, &header), &names))
    return false;
  size_t count = section_count(object, &header);
  for (size_t i = 0; i < count; i++) {
    if (!read_section(object, &header, i, &candidate) || candidate.sh_type == SHT_NOBITS ||
        strcmp(read_name(object, &names, candidate.sh_name), name) != 0)
      continue;
    *section = (struct gasan_bytes){object.data + candidate.sh_offset, candidate.sh_size};
    return true;
  }
  return false;
}

const char *gasan_elf_symbol(struct gasan_bytes object, size_t index) {
  Elf64_Ehdr header;
  Elf64_Shdr symbols, names;
  Elf64_Sym symbol;
  if (!read_header(object, &header))
    return "";
  size_t count = section_count(object, &header);
  for (size_t i = 0; i < count; i++) {
    if (!read_section(object, &header, i, &symbols) || symbols.sh_type != SHT_SYMTAB ||
        !read_section(object, &header, symbols.sh_link, &names) || index >= symbols.sh_size / sizeof symbol)
      continue;
    memcpy(&symbol, object.data + symbols.sh_offset + index * sizeof symbol, sizeof symbol);
    return read_name(object, &names, symbol.st_name);
  }
  return "";
}

static void add_symbols_of(struct gasan_bytes object, const Elf64_Shdr *symbols, const Elf64_Shdr *names,
                           const char *prefix, bool defined, struct gasan_strings *found) {
  for (size_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); i++) {
    Elf64_Sym symbol;
    memcpy(&symbol, object.data + symbols->sh_offset + i * sizeof symbol, sizeof symbol);
    const char *name = read_name(object, names, symbol.st_name);
    if ((symbol.st_shndx != SHN_UNDEF) == defined && gasan_strings_start(name, prefix) &&
        !gasan_strings_contain(found, name))
      gasan_strings_push(found, name);
  }
}

void gasan_elf_add_symbols(struct gasan_bytes object, const char *prefix, bool defined, struct gasan_strings *names) {
  Elf64_Ehdr header;
  Elf64_Shdr symbols, symbol_names;
  if (!read_header(object, &header))
    return;
  size_t count = section_count(object, &header);
  for (size_t i = 0; i < count; i++)
    if (read_section(object, &header, i, &symbols) && symbols.sh_type == SHT_SYMTAB &&
        read_section(object, &header, symbols.sh_link, &symbol_names))
      add_symbols_of(object, &symbols, &symbol_names, prefix, defined, names);
}
