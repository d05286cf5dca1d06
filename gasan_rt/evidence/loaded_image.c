/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/evidence/loaded_image.h"

#include <elf.h>
#include <string.h>

#define INSTRUCTION_SIZE 16u
#define IS_KERNEL 0x10u /* in st_other */

/* Finds the section with code at the address. */
static bool find_code(const struct gasan_elf *elf, uint64_t address, uint32_t *index,
                      struct gasan_elf_section *section) {
  for (*index = 0; *index < elf->count; ++*index)
    if (gasan_elf_section(elf, *index, section) && section->flags & SHF_EXECINSTR && section->bytes.size &&
        address >= section->address && address - section->address < section->bytes.size)
      return true;
  return false;
}

/* Finds the section's symbols: its kernel, and the function that starts last in front of the address. */
static void find_symbols(const struct gasan_elf *elf, const struct gasan_elf_section *symbols, uint32_t code_index,
                         uint64_t address, struct gasan_loaded_code *code) {
  struct gasan_elf_section names;
  uint64_t start = 0;
  if (!gasan_elf_section(elf, symbols->link, &names))
    return;
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->bytes.size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    memcpy(&symbol, symbols->bytes.at + at, sizeof symbol);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx != code_index)
      continue;
    const char *name = gasan_bytes_string(names.bytes, symbol.st_name);
    if (!*name)
      continue;
    if (symbol.st_other & IS_KERNEL)
      code->kernel = name;
    if (symbol.st_value > address || (code->function && symbol.st_value < start))
      continue;
    code->function = name;
    start = symbol.st_value;
    code->offset = address - start;
  }
}

bool gasan_loaded_image_find(struct gasan_bytes image, uint64_t address, struct gasan_loaded_code *code) {
  struct gasan_elf elf;
  struct gasan_elf_section section;
  uint32_t index;
  *code = (struct gasan_loaded_code){.function = NULL};
  if (!gasan_elf_open(&elf, image) || !find_code(&elf, address, &index, &section))
    return false;
  code->offset = address - section.address;
  code->instruction = gasan_bytes_part(section.bytes, code->offset, INSTRUCTION_SIZE);
  for (uint32_t i = 0; i < elf.count; i++) {
    struct gasan_elf_section symbols;
    if (gasan_elf_section(&elf, i, &symbols) && symbols.type == SHT_SYMTAB)
      find_symbols(&elf, &symbols, index, address, code);
  }
  return true;
}

uint32_t gasan_loaded_image_lines(struct gasan_bytes image, uint64_t address, struct gasan_line *lines, uint32_t most) {
  struct gasan_elf elf;
  struct gasan_elf_section section;
  struct gasan_line_sections sections = {0};
  if (!gasan_elf_open(&elf, image))
    return 0;
  if (gasan_elf_find(&elf, ".debug_str", &section))
    sections.strings = section.bytes;
  if (gasan_elf_find(&elf, ".debug_line_str", &section))
    sections.line_strings = section.bytes;
  if (!gasan_elf_find(&elf, ".debug_line", &section))
    return 0;
  sections.lines = section.bytes;
  return gasan_line_table_find(&sections, address, lines, most);
}
