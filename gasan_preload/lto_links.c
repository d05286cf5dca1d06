/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* dladdr */
#include "gasan_preload/lto_links.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_preload/find.h"

enum { INPUT_PTX = 2, INPUT_LTO = 3, INPUT_CONTAINER = 4, INPUT_ANY = 10 }; /* nvJitLinkInputType */
enum { MOST_REASON = 400 };

struct input {
  int type;
  void *data;
  size_t size;
  char *name;
};

struct link {
  void *linker;
  bool is_mixed; /* with machine code */
  size_t ptx_count;
  struct input *inputs;
  size_t count;
  char **options;
  unsigned option_count;
  void *cubin;
  size_t cubin_size;
  struct link *next;
};
static struct link *links;
static pthread_mutex_t links_lock = PTHREAD_MUTEX_INITIALIZER;

static struct link *find_link(void *linker) {
  pthread_mutex_lock(&links_lock);
  struct link *link = links;
  while (link && link->linker != linker)
    link = link->next;
  pthread_mutex_unlock(&links_lock);
  return link;
}

static bool has(unsigned count, const char **options, const char *name) {
  for (unsigned i = 0; i < count; i++)
    if (options[i] && strcmp(options[i] + (options[i][0] == '-' && options[i][1] == '-'), name) == 0)
      return true;
  return false;
}

void gasan_lto_link_start(void *linker, unsigned count, const char **options) {
  if (!options || !has(count, options, "-lto") || has(count, options, "-ptx"))
    return;
  struct link *link = calloc(1, sizeof *link);
  char **copies = calloc(count + 2, sizeof *copies);
  if (!link || !copies) {
    free(link);
    free(copies);
    return;
  }
  *link = (struct link){.linker = linker, .options = copies};
  for (unsigned i = 0; i < count; i++)
    if (options[i] && strcmp(options[i], "-g") != 0 && strcmp(options[i], "-lineinfo") != 0)
      copies[link->option_count++] = strdup(options[i]);
  copies[link->option_count++] = strdup("-ptx");
  copies[link->option_count++] = strdup("-lineinfo");
  pthread_mutex_lock(&links_lock);
  link->next = links;
  links = link;
  pthread_mutex_unlock(&links_lock);
}

bool gasan_lto_link_is(void *linker) {
  return find_link(linker) != NULL;
}

void gasan_lto_link_add(void *linker, int type, const void *data, size_t size, const char *name) {
  struct link *link = find_link(linker);
  struct input *inputs = link ? realloc(link->inputs, (link->count + 1) * sizeof *inputs) : NULL;
  char *copy = calloc(1, size + 1);
  if (!inputs || !copy) {
    free(copy);
    if (link)
      link->is_mixed = true; /* not complete */
    return;
  }
  static const unsigned char magic[] = {0xed, 0x43, 0x4e, 0x7f};
  const bool is_lto = size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
  link->is_mixed |= type != INPUT_LTO && type != INPUT_CONTAINER && type != INPUT_PTX && !(type == INPUT_ANY && is_lto);
  link->ptx_count += type == INPUT_PTX;
  memcpy(copy, data, size);
  link->inputs = inputs;
  inputs[link->count++] = (struct input){type, copy, size, strdup(name ? name : "")};
}

/* Finds a function by its plain name, or by its name in NVIDIA's header. */
static void *find_function(const struct gasan_lto_library *library, const char *name) {
  Dl_info info;
  char versioned[64];
  void *handle = dladdr(library->function, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  snprintf(versioned, sizeof versioned, "__%s%s", name, library->ending);
  void *found = handle ? gasan_preload_next(handle, name) : NULL;
  if (handle && !found)
    found = gasan_preload_next(handle, versioned);
  if (handle)
    dlclose(handle); /* the program has opened it, too */
  return found;
}

/* Writes the first line of the link's errors. */
static void read_reason(const struct gasan_lto_library *library, void *linker, char reason[MOST_REASON]) {
  int (*size_of)(void *, size_t *) = (int (*)(void *, size_t *))find_function(library, "nvJitLinkGetErrorLogSize");
  int (*read)(void *, char *) = (int (*)(void *, char *))find_function(library, "nvJitLinkGetErrorLog");
  size_t size = 0;
  snprintf(reason, MOST_REASON, "nvJitLink makes no PTX of its LTO-IR");
  char *text = size_of && read && !size_of(linker, &size) && size ? calloc(1, size + 1) : NULL;
  if (text && !read(linker, text)) {
    text[strcspn(text, "\n")] = 0;
    snprintf(reason, MOST_REASON, "nvJitLink makes no PTX of its LTO-IR: %.300s", text);
  }
  free(text);
}

/* Returns the PTX of the link's LTO-IR. The caller frees it. */
static char *make_ptx(const struct link *link, const struct gasan_lto_library *library, char reason[MOST_REASON]) {
  int (*size_of)(void *, size_t *) = (int (*)(void *, size_t *))find_function(library, "nvJitLinkGetLinkedPtxSize");
  int (*read)(void *, char *) = (int (*)(void *, char *))find_function(library, "nvJitLinkGetLinkedPtx");
  void *linker = NULL;
  char *ptx = NULL;
  size_t size = 0;
  snprintf(reason, MOST_REASON, "this version of nvJitLink makes no PTX of LTO-IR");
  if (!size_of || !read || library->create(&linker, link->option_count, (const char **)link->options))
    return NULL;
  int result = 0;
  for (size_t i = 0; !result && i < link->count; i++)
    if (link->inputs[i].type != INPUT_PTX)
      result =
          library->add(linker, link->inputs[i].type, link->inputs[i].data, link->inputs[i].size, link->inputs[i].name);
  if (!result)
    result = library->complete(linker);
  if (!result && !size_of(linker, &size) && size)
    ptx = calloc(1, size + 1);
  if (!ptx || read(linker, ptx)) {
    read_reason(library, linker, reason);
    free(ptx);
    ptx = NULL;
  }
  library->destroy(&linker);
  return ptx;
}

/* Makes the cubin of the PTX of LTO-IR (NULL: there is no LTO-IR) and of the link's other PTX. */
static void check_all(struct link *link, const char *made) {
  void *(*check)(const char *const *, size_t, size_t *) =
      (void *(*)(const char *const *, size_t, size_t *))gasan_preload_own("gasan_door_link_checked_ptx");
  const char **texts = check ? calloc(link->ptx_count + 1, sizeof *texts) : NULL;
  size_t count = 0;
  if (!texts)
    return;
  if (made)
    texts[count++] = made;
  for (size_t i = 0; i < link->count; i++)
    if (link->inputs[i].type == INPUT_PTX)
      texts[count++] = link->inputs[i].data;
  link->cubin = check(texts, count, &link->cubin_size);
  free(texts);
}

bool gasan_lto_link_complete(void *linker, const struct gasan_lto_library *library) {
  void (*say)(const char *) = (void (*)(const char *))gasan_preload_own("gasan_door_link_say");
  struct link *link = find_link(linker);
  char reason[MOST_REASON] = "it has LTO-IR beside machine code, of which nvJitLink makes no PTX";
  if (!link || !say)
    return false;
  const bool has_lto = link->count > link->ptx_count;
  char *ptx = !link->is_mixed && has_lto ? make_ptx(link, library, reason) : NULL;
  if (link->count && !link->is_mixed && (ptx || !has_lto))
    check_all(link, ptx);
  if (ptx && link->ptx_count)
    snprintf(reason, sizeof reason, "%s", "it has LTO-IR beside PTX that does not link without it");
  if (has_lto && !link->cubin && (!ptx || link->ptx_count)) /* else the reason is that of PTX */
    say(reason);
  free(ptx);
  return link->cubin != NULL;
}

const void *gasan_lto_link_cubin(void *linker, size_t *size) {
  const struct link *link = find_link(linker);
  *size = link ? link->cubin_size : 0;
  return link ? link->cubin : NULL;
}

void gasan_lto_link_end(void *linker) {
  pthread_mutex_lock(&links_lock);
  struct link **place = &links, *link;
  while (*place && (*place)->linker != linker)
    place = &(*place)->next;
  if ((link = *place))
    *place = link->next;
  pthread_mutex_unlock(&links_lock);
  if (!link)
    return;
  for (size_t i = 0; i < link->count; i++) {
    free(link->inputs[i].data);
    free(link->inputs[i].name);
  }
  for (unsigned i = 0; i < link->option_count; i++)
    free(link->options[i]);
  free(link->inputs);
  free(link->options);
  free(link->cubin);
  free(link);
}
