/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/rdc_container.h"
#include "driver/message.h"

#include <stdint.h>
#include <string.h>

#define MAGIC "GASANRDC"
#define VERSION 4u
#define KEEP_DEBUG 1u
#define ALIGNMENT 8

/* The file's format, little-endian. */
struct header {
  char magic[8];
  uint32_t version;
  uint32_t count;
  uint32_t flags;
  char optimisation[12];
  char granule[8];
  char mode[8];
  char tags[8];
  uint64_t size; /* of header, entries and bitcode together */
};

struct entry {
  char architecture[16];
  uint64_t offset; /* from the header's start */
  uint64_t size;
};

void gasan_rdc_container_add(struct gasan_rdc_container *container, const char *architecture,
                             struct gasan_bytes bitcode) {
  struct gasan_rdc_module *modules = gasan_strings_allocate((container->count + 1) * sizeof *modules);
  if (container->count)
    memcpy(modules, container->modules, container->count * sizeof *modules);
  modules[container->count] = (struct gasan_rdc_module){architecture, bitcode};
  container->modules = modules;
  container->count++;
}

static size_t aligned(size_t size) {
  return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static void copy_name(char *to, size_t capacity, const char *from) {
  if (strlen(from) >= capacity)
    gasan_message_fatal("'%s' is too long a name for -fgpu-rdc", from);
  strcpy(to, from);
}

void gasan_rdc_container_write(const struct gasan_rdc_container *container, const char *path) {
  size_t size = sizeof(struct header) + container->count * sizeof(struct entry), offset = size;
  for (size_t i = 0; i < container->count; i++)
    size += aligned(container->modules[i].bitcode.size);
  unsigned char *data = gasan_strings_allocate(size);
  struct header header = {.version = VERSION,
                          .count = (uint32_t)container->count,
                          .flags = container->keep_debug ? KEEP_DEBUG : 0,
                          .size = size};
  memcpy(header.magic, MAGIC, sizeof header.magic);
  copy_name(header.optimisation, sizeof header.optimisation, container->optimisation);
  copy_name(header.granule, sizeof header.granule, container->granule);
  copy_name(header.mode, sizeof header.mode, container->mode);
  copy_name(header.tags, sizeof header.tags, container->tags);
  memcpy(data, &header, sizeof header);
  for (size_t i = 0; i < container->count; i++) {
    const struct gasan_rdc_module *module = &container->modules[i];
    struct entry entry = {.offset = offset, .size = module->bitcode.size};
    copy_name(entry.architecture, sizeof entry.architecture, module->architecture);
    memcpy(data + sizeof header + i * sizeof entry, &entry, sizeof entry);
    memcpy(data + offset, module->bitcode.data, module->bitcode.size);
    offset += aligned(module->bitcode.size);
  }
  gasan_file_write(path, data, size);
}

static void read_modules(struct gasan_bytes bytes, const struct header *header, struct gasan_rdc_container *container) {
  for (size_t i = 0; i < header->count; i++) {
    struct entry entry;
    memcpy(&entry, bytes.data + sizeof *header + i * sizeof entry, sizeof entry);
    if (entry.offset > header->size || entry.size > header->size - entry.offset)
      gasan_message_fatal("a -fgpu-rdc object is damaged; compile it again");
    gasan_rdc_container_add(container, gasan_strings_format("%.*s", (int)sizeof entry.architecture, entry.architecture),
                            (struct gasan_bytes){bytes.data + entry.offset, entry.size});
  }
}

bool gasan_rdc_container_read(struct gasan_bytes section, size_t *offset, struct gasan_rdc_container *container) {
  /* The linker may put padding between containers. */
  for (; *offset + sizeof(struct header) <= section.size; *offset += ALIGNMENT) {
    struct gasan_bytes rest = {section.data + *offset, section.size - *offset};
    struct header header;
    memcpy(&header, rest.data, sizeof header);
    if (memcmp(header.magic, MAGIC, sizeof header.magic) != 0)
      continue;
    if (header.version != VERSION)
      gasan_message_fatal("a -fgpu-rdc object was made by another version of gasan; compile it again");
    if (header.size > rest.size || header.count > (header.size - sizeof header) / sizeof(struct entry))
      gasan_message_fatal("a -fgpu-rdc object is damaged; compile it again");
    *container = (struct gasan_rdc_container){
        .optimisation = gasan_strings_format("%.*s", (int)sizeof header.optimisation, header.optimisation),
        .granule = gasan_strings_format("%.*s", (int)sizeof header.granule, header.granule),
        .mode = gasan_strings_format("%.*s", (int)sizeof header.mode, header.mode),
        .tags = gasan_strings_format("%.*s", (int)sizeof header.tags, header.tags),
        .keep_debug = header.flags & KEEP_DEBUG};
    read_modules(rest, &header, container);
    *offset += aligned(header.size);
    return true;
  }
  return false;
}
