/* Writes small ELF files into memory, for tests. */
#ifndef GASAN_TEST_ELF_WRITER_H
#define GASAN_TEST_ELF_WRITER_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct elf_writer {
  uint8_t bytes[1 << 18];
  size_t size;
  Elf64_Shdr headers[512];
  uint32_t count;
  char names[1 << 14];
  size_t names_size;
};

/* Returns an empty file with section 0; free it. */
static inline struct elf_writer *elf_writer_begin(uint16_t type, uint16_t machine, uint8_t system) {
  struct elf_writer *writer = calloc(1, sizeof *writer);
  Elf64_Ehdr header = {
      .e_type = type, .e_machine = machine, .e_ehsize = sizeof header, .e_shentsize = sizeof(Elf64_Shdr)};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_OSABI] = system;
  memcpy(writer->bytes, &header, sizeof header);
  writer->size = sizeof header;
  writer->count = 1;
  writer->names_size = 1;
  return writer;
}

/* Adds a section. `header` gives type, link, info, flags, address and entry size. Returns its number. */
static inline uint32_t elf_writer_add(struct elf_writer *writer, const char *name, Elf64_Shdr header, const void *bytes,
                                      size_t size) {
  header.sh_name = (Elf64_Word)writer->names_size;
  header.sh_offset = writer->size;
  header.sh_size = size;
  strcpy(writer->names + writer->names_size, name);
  writer->names_size += strlen(name) + 1;
  memcpy(writer->bytes + writer->size, bytes, size);
  writer->size += (size + 7) / 8 * 8;
  writer->headers[writer->count] = header;
  return writer->count++;
}

/* Completes the file. `extended`: the numbers are in section 0, as in a file with more than 65,279 sections. */
static inline void elf_writer_end(struct elf_writer *writer, bool extended) {
  Elf64_Ehdr header;
  uint32_t names = elf_writer_add(writer, ".shstrtab", (Elf64_Shdr){.sh_type = SHT_STRTAB}, writer->names,
                                  sizeof ".shstrtab" + writer->names_size);
  memcpy(&header, writer->bytes, sizeof header);
  header.e_shoff = writer->size;
  header.e_shnum = extended ? 0 : (Elf64_Half)writer->count;
  header.e_shstrndx = extended ? SHN_XINDEX : (Elf64_Half)names;
  if (extended)
    writer->headers[0] = (Elf64_Shdr){.sh_size = writer->count, .sh_link = names};
  memcpy(writer->bytes, &header, sizeof header);
  memcpy(writer->bytes + writer->size, writer->headers, writer->count * sizeof *writer->headers);
  writer->size += writer->count * sizeof *writer->headers;
}

#endif
