/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "gasan_rt/instrument/embedded_code.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gasan_rt/core/warn.h"
#include "gasan_rt/instrument/checked_code.h"
#include "gasan_rt/instrument/code_image.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define SECTION ".nvFatBinSegment" /* wrappers, one for each container */
#define WRAPPER_SIZE 24
#define MOST_OBJECTS 256
#define MOST_BYTES (64u << 20) /* of the code of one object; a program may not need all of a large library */

/* A program or library in memory. */
struct object {
  const void *image; /* some code in it */
  uintptr_t base, start, end;
  char path[4096];
};

static int find_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct object *object = context;
  (void)size;
  uintptr_t start = UINTPTR_MAX, end = 0;
  bool inside = false;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const uintptr_t from = info->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
    if (segment->p_type != PT_LOAD)
      continue;
    inside |= (uintptr_t)object->image >= from && (uintptr_t)object->image < to;
    start = from < start ? from : start;
    end = to > end ? to : end;
  }
  if (!inside)
    return 0;
  object->base = info->dlpi_addr;
  object->start = start;
  object->end = end;
  if (*info->dlpi_name)
    strncpy(object->path, info->dlpi_name, sizeof object->path - 1);
  else if (readlink("/proc/self/exe", object->path, sizeof object->path - 1) < 0) /* the program */
    strcpy(object->path, "/proc/self/exe");
  return 1;
}

/* Returns true at the first call for the object. A library that was loaded at the address of another one is taken for
 * that one: its code is then made when it is loaded. */
static bool is_new(const struct object *object) {
  static uintptr_t known[MOST_OBJECTS];
  static unsigned count;
  static pthread_mutex_t objects_lock = PTHREAD_MUTEX_INITIALIZER;
  bool found = false;
  pthread_mutex_lock(&objects_lock);
  for (unsigned i = 0; i < count; i++)
    found |= known[i] == object->start;
  const bool added = !found && count < MOST_OBJECTS;
  if (added)
    known[count++] = object->start;
  pthread_mutex_unlock(&objects_lock);
  return added;
}

static bool read_at(int file, void *bytes, size_t size, uint64_t at) {
  return pread(file, bytes, size, (off_t)at) == (ssize_t)size;
}

/* Finds the section's place in memory. */
static bool find_section(int file, const struct object *object, uintptr_t *start, size_t *size) {
  Elf64_Ehdr header;
  Elf64_Shdr names, section;
  char name[sizeof SECTION];
  if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_shentsize != sizeof section ||
      !read_at(file, &names, sizeof names, header.e_shoff + (uint64_t)header.e_shstrndx * sizeof names))
    return false;
  for (unsigned i = 0; i < header.e_shnum; i++) {
    if (!read_at(file, &section, sizeof section, header.e_shoff + i * sizeof section) ||
        !read_at(file, name, sizeof name, names.sh_offset + section.sh_name) || memcmp(name, SECTION, sizeof name) != 0)
      continue;
    *start = object->base + section.sh_addr;
    *size = section.sh_size;
    return *start >= object->start && *start <= object->end && *size <= object->end - *start;
  }
  return false;
}

/* Starts the work for the containers of the wrappers. Returns their number. */
static unsigned expect_each(const struct object *object, const char *wrappers, size_t size, int architecture) {
  unsigned count = 0;
  size_t bytes = 0;
  for (size_t at = 0; at + WRAPPER_SIZE <= size; at += WRAPPER_SIZE) {
    const struct gasan_code_image image = gasan_code_image_at(wrappers + at);
    const uintptr_t start = (uintptr_t)image.data;
    if (image.form != GASAN_CODE_CONTAINER || image.data == object->image || start < object->start ||
        start >= object->end || image.size > object->end - start || image.size > MOST_BYTES - bytes)
      continue;
    if (gasan_checked_code_expect(&image, architecture)) {
      bytes += image.size;
      count++;
    }
  }
  return count;
}

void gasan_embedded_code_expect(const void *code, int architecture) {
  struct gasan_code_image image = gasan_code_image_at(code);
  struct object object = {.image = image.data};
  uintptr_t wrappers;
  size_t size;
  if (image.form != GASAN_CODE_CONTAINER || !dl_iterate_phdr(find_object, &object) || !is_new(&object))
    return;
  const int file = open(object.path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  const unsigned count = find_section(file, &object, &wrappers, &size)
                             ? expect_each(&object, (const char *)wrappers, size, architecture)
                             : 0;
  close(file);
  if (count && gasan_verbosity() >= 1)
    gasan_rt_warn("putting checks into %u more pieces of code of '%s', which the program may load", count, object.path);
}
