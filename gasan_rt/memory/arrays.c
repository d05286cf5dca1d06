/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/arrays.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/map.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/range_check.h"

struct record {
  struct gasan_array array;
  uint64_t number;
  struct gasan_map_entry by_handle;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
GASAN_MAP(records, 10);
static uint64_t last_number;

static uint64_t key_of(const void *handle) {
  return (uint64_t)(uintptr_t)handle;
}

/* Must be called with the lock. */
static struct record *find_record(const void *handle) {
  return GASAN_MAP_OWNER(gasan_map_find(&records, key_of(handle)), struct record, by_handle);
}

void gasan_array_note(const struct gasan_array *array) {
  pthread_mutex_lock(&lock);
  struct record *record = find_record(array->handle);
  if (!record && (record = calloc(1, sizeof *record)))
    gasan_map_insert(&records, &record->by_handle, key_of(array->handle));
  if (record) {
    record->array = *array;
    record->number = ++last_number;
  }
  pthread_mutex_unlock(&lock);
}

void gasan_array_forget(const void *handle) {
  pthread_mutex_lock(&lock);
  free(GASAN_MAP_OWNER(gasan_map_remove(&records, key_of(handle)), struct record, by_handle));
  pthread_mutex_unlock(&lock);
}

uint64_t gasan_array_latest(void) {
  pthread_mutex_lock(&lock);
  const uint64_t latest = last_number;
  pthread_mutex_unlock(&lock);
  return latest;
}

void gasan_array_note_freed(const void *whole, uint64_t until, struct gasan_pool_caller caller) {
  pthread_mutex_lock(&lock);
  for (struct gasan_map_entry *entry = gasan_map_next(&records, NULL); entry; entry = gasan_map_next(&records, entry)) {
    struct record *record = GASAN_MAP_OWNER(entry, struct record, by_handle);
    struct gasan_array *array = &record->array;
    if (record->number <= until && array->whole == whole && !array->is_freed) {
      array->is_freed = true;
      array->freed = caller;
    }
  }
  pthread_mutex_unlock(&lock);
}

static bool ask_cuda(const void *handle, struct gasan_array *array) {
  struct cudaChannelFormatDesc format = {0};
  cudaError_t waiting = gasan_waiting_error();
  if (GASAN_REAL(cudaArrayGetInfo)(&format, &array->extent, &array->flags, (cudaArray_t)(uintptr_t)handle) ==
      cudaSuccess) {
    array->texel = (uint32_t)gasan_texel_size(&format);
    return true;
  }
  gasan_forget_error(waiting);
  return false;
}

void gasan_array_note_live(struct gasan_array array) {
  if (ask_cuda(array.handle, &array))
    gasan_array_note(&array);
}

bool gasan_array_find(const void *handle, bool is_mipmapped, struct gasan_array *array) {
  gasan_rt_kind();
  pthread_mutex_lock(&lock);
  const struct record *record = handle ? find_record(handle) : NULL;
  if (record)
    *array = record->array;
  pthread_mutex_unlock(&lock);
  if (record)
    return array->is_mipmapped == is_mipmapped;
  *array = (struct gasan_array){.handle = handle, .whole = handle};
  return handle && !is_mipmapped && ask_cuda(handle, array);
}
