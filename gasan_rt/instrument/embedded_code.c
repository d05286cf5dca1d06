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

#define WRAPPERS ".nvFatBinSegment"
#define OBJECTS "__nv_relfatbin" /* containers of relocatable code, which is not loaded as it is */
#define MOST_NAME 20
#define MOST_OBJECTS 256
#define MOST_BYTES (16u << 20) /* of the code of one object; a program does not need all of a large library */

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

struct range {
  uintptr_t start;
  size_t size;
};

static bool contains(struct range range, const void *address) {
  return (uintptr_t)address >= range.start && (uintptr_t)address - range.start < range.size;
}

/* Finds a section's place in memory. It is empty if there is none. */
static struct range find_section(int file, const struct object *object, const char *wanted) {
  Elf64_Ehdr header;
  Elf64_Shdr names, section;
  char name[MOST_NAME] = "";
  const size_t length = strlen(wanted) + 1;
  if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_shentsize != sizeof section ||
      !read_at(file, &names, sizeof names, header.e_shoff + (uint64_t)header.e_shstrndx * sizeof names))
    return (struct range){0};
  for (unsigned i = 0; i < header.e_shnum; i++) {
    if (!read_at(file, &section, sizeof section, header.e_shoff + i * sizeof section) ||
        !read_at(file, name, length, names.sh_offset + section.sh_name) || memcmp(name, wanted, length) != 0)
      continue;
    const struct range found = {object->base + section.sh_addr, section.sh_size};
    if (found.start >= object->start && found.start <= object->end && found.size <= object->end - found.start)
      return found;
  }
  return (struct range){0};
}

/* The wrappers of an object. */
struct wrappers {
  struct object object;
  const struct gasan_code_wrapper *first;
  size_t count;
  struct range relocatable;
};

/* Returns false if the code is not in a program or a library. */
static bool find_wrappers(const void *image, struct wrappers *wrappers) {
  *wrappers = (struct wrappers){.object.image = image};
  if (!dl_iterate_phdr(find_object, &wrappers->object))
    return false;
  const int file = open(wrappers->object.path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  const struct range range = find_section(file, &wrappers->object, WRAPPERS);
  wrappers->relocatable = find_section(file, &wrappers->object, OBJECTS);
  close(file);
  wrappers->first = (const struct gasan_code_wrapper *)range.start;
  wrappers->count = range.size / sizeof *wrappers->first;
  return true;
}

/* Returns true if the container lies in the object. */
static bool is_inside(const struct object *object, const struct gasan_code_image *image) {
  const uintptr_t start = (uintptr_t)image->data;
  return start >= object->start && start < object->end && image->size <= object->end - start;
}

/* Calls `visit` for each container with PTX that the program may load besides the one that it loads. */
static void visit_each(const struct wrappers *wrappers, int architecture,
                       void (*visit)(const struct gasan_code_image *image, int architecture, void *context),
                       void *context) {
  for (size_t i = 0; i < wrappers->count; i++) {
    if (wrappers->first[i].magic != GASAN_CODE_WRAPPER_MAGIC)
      continue;
    const struct gasan_code_image image = gasan_code_image_at(&wrappers->first[i]);
    if (image.form == GASAN_CODE_CONTAINER && image.data != wrappers->object.image &&
        is_inside(&wrappers->object, &image) && !contains(wrappers->relocatable, image.data) &&
        gasan_code_image_has_ptx(&image, architecture))
      visit(&image, architecture, context);
  }
}

static void add_bytes(const struct gasan_code_image *image, int architecture, void *context) {
  (void)architecture;
  *(size_t *)context += image->size;
}

static void expect(const struct gasan_code_image *image, int architecture, void *context) {
  *(unsigned *)context += gasan_checked_code_expect(image, architecture);
}

void gasan_embedded_code_expect(const void *code, int architecture) {
  const struct gasan_code_image image = gasan_code_image_at(code);
  struct wrappers wrappers;
  size_t bytes = 0;
  unsigned count = 0;
  if (image.form != GASAN_CODE_CONTAINER || !find_wrappers(image.data, &wrappers) || !is_new(&wrappers.object))
    return;
  visit_each(&wrappers, architecture, add_bytes, &bytes);
  if (bytes <= MOST_BYTES)
    visit_each(&wrappers, architecture, expect, &count);
  if (gasan_verbosity() < 1)
    return;
  if (bytes > MOST_BYTES)
    gasan_rt_warn("'%s' has %zu MiB of code with PTX; each piece gets its checks when the program loads it",
                  wrappers.object.path, bytes >> 20);
  else if (count)
    gasan_rt_warn("putting checks into %u more pieces of code of '%s', which the program may load", count,
                  wrappers.object.path);
}

/* Returns the containers from which the code was linked, up to a null pointer, or NULL. libcudart may pass the wrapper,
 * or the container in it. */
static const void *const *find_objects(const void *code, const struct gasan_code_image *image) {
  struct gasan_code_wrapper own;
  struct wrappers wrappers;
  memcpy(&own.magic, code, sizeof own.magic);
  if (own.magic == GASAN_CODE_WRAPPER_MAGIC) {
    memcpy(&own, code, sizeof own);
    return own.version == GASAN_CODE_WRAPPER_OF_LINK ? own.objects : NULL;
  }
  if (!find_wrappers(image->data, &wrappers))
    return NULL;
  for (size_t i = 0; i < wrappers.count; i++) {
    const struct gasan_code_wrapper *wrapper = &wrappers.first[i];
    if (wrapper->magic == GASAN_CODE_WRAPPER_MAGIC && wrapper->version == GASAN_CODE_WRAPPER_OF_LINK &&
        wrapper->data == image->data)
      return wrapper->objects;
  }
  return NULL;
}

struct gasan_code_image *gasan_embedded_code_objects(const void *code, int architecture, size_t *count) {
  const struct gasan_code_image image = gasan_code_image_at(code);
  const void *const *objects = image.form == GASAN_CODE_CONTAINER ? find_objects(code, &image) : NULL;
  size_t most = 0;
  while (objects && objects[most])
    most++;
  struct gasan_code_image *found = most ? calloc(most, sizeof *found) : NULL;
  char why[GASAN_WHY];
  *count = 0;
  for (size_t i = 0; found && i < most; i++) {
    const struct gasan_code_image object = gasan_code_image_at(objects[i]);
    if (gasan_checked_code_is_possible(&object, architecture, why))
      found[(*count)++] = object;
  }
  if (*count)
    return found;
  free(found);
  return NULL;
}
