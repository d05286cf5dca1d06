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

const char *gasan_kernel_name(CUfunction function) {
  const char *text = NULL;
  __typeof__(&cuFuncGetName) of_function = DRIVER(cuFuncGetName);
  __typeof__(&cuKernelGetName) of_kernel = DRIVER(cuKernelGetName);
  if (!function || !of_function || !of_kernel)
    return NULL;
  if (of_function(&text, function) != CUDA_SUCCESS && of_kernel(&text, (CUkernel)function) != CUDA_SUCCESS)
    return NULL;
  return text ? keep(text) : NULL;
}
