/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/instrument/code_image.h"

#include <ctype.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>

#define CONTAINER_MAGIC 0xBA55ED50u
#define WRAPPER_MAGIC 0x466243B1u
#define WRAPPER_OF_ONE 1 /* version; others refer to code of several objects, which nvcc has linked */

struct wrapper {
  uint32_t magic, version;
  const void *data;
};

struct container {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size; /* without the header */
};

static uint32_t word_at(const void *image) {
  uint32_t word;
  memcpy(&word, image, sizeof word);
  return word;
}

/* A cubin ends with the last of its sections and tables. */
static size_t elf_size(const void *image) {
  const char *bytes = image;
  Elf64_Ehdr header;
  memcpy(&header, bytes, sizeof header);
  uint64_t end = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
  const uint64_t programs = header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize;
  if (programs > end)
    end = programs;
  for (unsigned i = 0; i < header.e_shnum && header.e_shentsize == sizeof(Elf64_Shdr); i++) {
    Elf64_Shdr section;
    memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS && section.sh_offset + section.sh_size > end)
      end = section.sh_offset + section.sh_size;
  }
  return end;
}

/* PTX begins with comments, empty lines and a directive. Reads no further than the text's NUL. */
static int is_ptx(const char *text) {
  for (;;) {
    while (isspace((unsigned char)*text))
      text++;
    if (text[0] != '/' || (text[1] != '/' && text[1] != '*'))
      return strncmp(text, ".version", strlen(".version")) == 0;
    text = text[1] == '/' ? strchr(text, '\n') : strstr(text + 2, "*/");
    if (!text)
      return 0;
    text += *text == '*' ? 2 : 1;
  }
}

/* Of the header of an entry: kind, size of the header, size behind it, and architecture. */
#define ENTRY_HEADER 64
#define KIND_PTX 1

bool gasan_code_image_has_ptx(const struct gasan_code_image *image, int architecture) {
  const char *bytes = image->data;
  struct container container;
  memcpy(&container, bytes, sizeof container);
  size_t at = container.header_size;
  while (image->size - at >= ENTRY_HEADER) {
    uint16_t kind;
    uint32_t header, number;
    uint64_t size;
    memcpy(&kind, bytes + at, sizeof kind);
    memcpy(&header, bytes + at + 4, sizeof header);
    memcpy(&size, bytes + at + 8, sizeof size);
    memcpy(&number, bytes + at + 28, sizeof number);
    if (kind == KIND_PTX && number <= (uint32_t)architecture)
      return true;
    if (header < ENTRY_HEADER || header > image->size - at || size > image->size - at - header)
      return false;
    at += header + size;
  }
  return false;
}

struct gasan_code_image gasan_code_image_at(const void *image) {
  struct gasan_code_image found = {GASAN_CODE_UNKNOWN, image, 0};
  if (!image)
    return found;
  struct wrapper wrapper;
  struct container container;
  if (word_at(image) == WRAPPER_MAGIC) {
    memcpy(&wrapper, image, sizeof wrapper);
    if (wrapper.version != WRAPPER_OF_ONE || !wrapper.data)
      return found;
    found.data = wrapper.data;
  }
  if (word_at(found.data) == CONTAINER_MAGIC) {
    memcpy(&container, found.data, sizeof container);
    found.size = container.header_size + container.size;
    if (container.header_size >= sizeof container && found.size >= container.size)
      found.form = GASAN_CODE_CONTAINER;
  } else if (memcmp(found.data, ELFMAG, SELFMAG) == 0) {
    found.form = GASAN_CODE_CUBIN;
    found.size = elf_size(found.data);
  } else if (is_ptx(found.data)) {
    found.form = GASAN_CODE_PTX;
    found.size = strlen(found.data);
  }
  return found;
}
