/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/evidence/elf_file.h"

#include <elf.h>
#include <string.h>

struct gasan_bytes gasan_bytes_part(struct gasan_bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size || size > bytes.size - offset)
    return (struct gasan_bytes){NULL, 0};
  return (struct gasan_bytes){bytes.at + offset, size};
}

const char *gasan_bytes_string(struct gasan_bytes bytes, uint64_t offset) {
  if (offset >= bytes.size || !memchr(bytes.at + offset, 0, bytes.size - offset))
    return "";
  return (const char *)bytes.at + offset;
}

uint32_t gasan_bytes_u32(struct gasan_bytes bytes, uint64_t offset) {
  uint32_t value = 0;
  struct gasan_bytes part = gasan_bytes_part(bytes, offset, sizeof value);
  if (part.size)
    memcpy(&value, part.at, sizeof value);
  return value;
}

uint64_t gasan_bytes_u64(struct gasan_bytes bytes, uint64_t offset) {
  uint64_t value = 0;
  struct gasan_bytes part = gasan_bytes_part(bytes, offset, sizeof value);
  if (part.size)
    memcpy(&value, part.at, sizeof value);
  return value;
}

static bool read_header(const struct gasan_elf *elf, uint64_t index, Elf64_Shdr *header) {
  struct gasan_bytes part = gasan_bytes_part(elf->file, elf->headers + index * elf->header_size, sizeof *header);
  if (part.size)
    memcpy(header, part.at, sizeof *header);
  return part.size != 0;
}

/* A file with too many sections for the header's fields has the numbers in section 0. */
bool gasan_elf_open(struct gasan_elf *elf, struct gasan_bytes file) {
  Elf64_Ehdr header;
  Elf64_Shdr first;
  if (file.size < sizeof header)
    return false;
  memcpy(&header, file.at, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_shentsize < sizeof first || header.e_shoff > file.size)
    return false;
  *elf = (struct gasan_elf){.file = file,
                            .headers = header.e_shoff,
                            .header_size = header.e_shentsize,
                            .type = header.e_type,
                            .machine = header.e_machine,
                            .system = header.e_ident[EI_OSABI]};
  if (!read_header(elf, 0, &first))
    return false;
  uint64_t count = header.e_shnum ? header.e_shnum : first.sh_size;
  if (count > (file.size - header.e_shoff) / header.e_shentsize)
    return false;
  elf->count = (uint32_t)count;
  elf->end = header.e_shoff + count * header.e_shentsize;
  uint32_t names = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
  if (names < elf->count && read_header(elf, names, &first))
    elf->names = gasan_bytes_part(file, first.sh_offset, first.sh_size);
  return true;
}

bool gasan_elf_section(const struct gasan_elf *elf, uint32_t index, struct gasan_elf_section *section) {
  Elf64_Shdr header;
  if (index >= elf->count || !read_header(elf, index, &header))
    return false;
  *section = (struct gasan_elf_section){.name = gasan_bytes_string(elf->names, header.sh_name),
                                        .type = header.sh_type,
                                        .link = header.sh_link,
                                        .info = header.sh_info,
                                        .flags = header.sh_flags,
                                        .address = header.sh_addr,
                                        .entry_size = header.sh_entsize,
                                        .size = header.sh_size};
  if (header.sh_type != SHT_NOBITS)
    section->bytes = gasan_bytes_part(elf->file, header.sh_offset, header.sh_size);
  return true;
}

bool gasan_elf_find(const struct gasan_elf *elf, const char *name, struct gasan_elf_section *section) {
  for (uint32_t i = 0; i < elf->count; i++)
    if (gasan_elf_section(elf, i, section) && strcmp(section->name, name) == 0)
      return true;
  *section = (struct gasan_elf_section){.name = ""};
  return false;
}
