/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/door/kernel_names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "device/cuda/cuda.h"

struct name {
  struct gasan_map_entry by_hash;
  char text[];
};
GASAN_MAP(names, 10);

/* The name of a handle. The driver takes as long as a launch to tell it. */
struct known {
  struct gasan_map_entry by_function;
  const char *_Atomic name;
  _Atomic unsigned generation; /* of `unloads` when the driver told the name */
};
GASAN_MAP(known, 10);
static _Atomic unsigned unloads;
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

/* FNV-1a. */
static uint64_t hash_of(const char *text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
  return hash;
}

static const char *find(uint64_t hash, const char *text) {
  for (struct gasan_map_entry *entry = gasan_map_find(&names, hash); entry; entry = gasan_map_find_next(entry)) {
    const struct name *name = GASAN_MAP_OWNER(entry, struct name, by_hash);
    if (!strcmp(name->text, text))
      return name->text;
  }
  return NULL;
}

/* The driver's string lives only as long as its module. */
static const char *keep(const char *text) {
  uint64_t hash = hash_of(text);
  const char *kept = find(hash, text);
  if (kept)
    return kept;
  size_t size = strlen(text) + 1;
  struct name *name = malloc(sizeof *name + size);
  if (!name)
    return NULL;
  memcpy(name->text, text, size);
  pthread_mutex_lock(&names_lock);
  kept = find(hash, text);
  if (!kept)
    gasan_map_insert(&names, &name->by_hash, hash);
  pthread_mutex_unlock(&names_lock);
  if (!kept)
    return name->text;
  free(name);
  return kept;
}

/* Returns libcuda's function, looked up once. */
#define DRIVER(function)                                                                                               \
  ({                                                                                                                   \
    static void *_Atomic real_;                                                                                        \
    if (!real_)                                                                                                        \
      real_ = gasan_cuda_driver_symbol(#function);                                                                     \
    (__typeof__(&function))real_;                                                                                      \
  })

static const char *ask(CUfunction function) {
  const char *text = NULL;
  __typeof__(&cuFuncGetName) of_function = DRIVER(cuFuncGetName);
  __typeof__(&cuKernelGetName) of_kernel = DRIVER(cuKernelGetName);
  if (!function || !of_function || !of_kernel)
    return NULL;
  if (of_function(&text, function) != CUDA_SUCCESS && of_kernel(&text, (CUkernel)function) != CUDA_SUCCESS)
    return NULL;
  return text ? keep(text) : NULL;
}

static struct known *find_known(CUfunction function) {
  return GASAN_MAP_OWNER(gasan_map_find(&known, (uintptr_t)function), struct known, by_function);
}

/* Another thread may insert the handle too; both entries are right. */
static struct known *insert_known(CUfunction function) {
  struct known *entry = calloc(1, sizeof *entry);
  if (!entry)
    return NULL;
  pthread_mutex_lock(&names_lock);
  gasan_map_insert(&known, &entry->by_function, (uintptr_t)function);
  pthread_mutex_unlock(&names_lock);
  return entry;
}

const char *gasan_kernel_name(CUfunction function) {
  struct known *entry = find_known(function);
  const unsigned now = unloads;
  if (entry && entry->generation == now + 1)
    return entry->name;
  const char *name = ask(function);
  if (!entry)
    entry = insert_known(function);
  if (entry) {
    entry->name = name;
    entry->generation = now + 1; /* 0: not known yet */
  }
  return name;
}

void gasan_kernel_names_changed(void) {
  unloads++;
}
