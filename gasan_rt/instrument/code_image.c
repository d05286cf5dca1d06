/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/instrument/code_image.h"

#include <ctype.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>

#define CONTAINER_MAGIC 0xBA55ED50u
#define LTO_MAGIC 0x7F4E43EDu

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

/* A cubin ends with the last of its sections and tables. Returns 0 if that is not within `most` bytes. */
static size_t elf_size(const void *image, size_t most) {
  const char *bytes = image;
  Elf64_Ehdr header;
  if (most < sizeof header)
    return 0;
  memcpy(&header, bytes, sizeof header);
  const uint64_t table = (uint64_t)header.e_shnum * header.e_shentsize;
  if (header.e_shoff > most || table > most - header.e_shoff)
    return 0;
  uint64_t end = header.e_shoff + table;
  const uint64_t programs = header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize;
  if (programs > end)
    end = programs;
  for (unsigned i = 0; i < header.e_shnum && header.e_shentsize == sizeof(Elf64_Shdr); i++) {
    Elf64_Shdr section;
    memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS && section.sh_offset + section.sh_size > end)
      end = section.sh_offset + section.sh_size;
  }
  return end <= most ? end : 0;
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
#define KIND_LTO 8

/* Returns true if a container has an entry of the kind for this architecture or an older one. */
static bool has_entry(const struct gasan_code_image *image, unsigned wanted, uint32_t architecture) {
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
    if (kind == wanted && number <= architecture)
      return true;
    if (header < ENTRY_HEADER || header > image->size - at || size > image->size - at - header)
      return false;
    at += header + size;
  }
  return false;
}

bool gasan_code_image_has_ptx(const struct gasan_code_image *image, int architecture) {
  return has_entry(image, KIND_PTX, (uint32_t)architecture);
}

bool gasan_code_image_has_lto(const struct gasan_code_image *image) {
  return has_entry(image, KIND_LTO, UINT32_MAX);
}

static bool read_container(struct gasan_code_image *found, size_t most) {
  struct container container;
  if (most < sizeof container)
    return false;
  memcpy(&container, found->data, sizeof container);
  found->size = container.header_size + container.size;
  return container.header_size >= sizeof container && found->size >= container.size && found->size <= most;
}

struct gasan_code_image gasan_code_image_in(const void *image, size_t most) {
  struct gasan_code_image found = {GASAN_CODE_UNKNOWN, image, 0};
  struct gasan_code_wrapper wrapper;
  if (!image || most < sizeof(uint32_t))
    return found;
  if (word_at(image) == GASAN_CODE_WRAPPER_MAGIC) {
    if (most < sizeof wrapper)
      return found;
    memcpy(&wrapper, image, sizeof wrapper);
    if ((wrapper.version != GASAN_CODE_WRAPPER_OF_ONE && wrapper.version != GASAN_CODE_WRAPPER_OF_LINK) ||
        !wrapper.data)
      return found;
    found.data = wrapper.data;
    most = SIZE_MAX; /* another place */
  }
  if (word_at(found.data) == CONTAINER_MAGIC) {
    if (read_container(&found, most))
      found.form = GASAN_CODE_CONTAINER;
  } else if (memcmp(found.data, ELFMAG, SELFMAG) == 0) {
    if ((found.size = elf_size(found.data, most)))
      found.form = GASAN_CODE_CUBIN;
  } else if (word_at(found.data) == LTO_MAGIC) {
    found.form = GASAN_CODE_LTO;
  } else if (is_ptx(found.data)) {
    found.form = GASAN_CODE_PTX;
    found.size = strlen(found.data);
  }
  return found;
}

struct gasan_code_image gasan_code_image_at(const void *image) {
  return gasan_code_image_in(image, SIZE_MAX);
}
