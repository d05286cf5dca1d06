/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/arrays.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/range_check.h"

#define BUCKETS 1024u

struct record {
  struct gasan_array array;
  struct record *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record *buckets[BUCKETS];

static struct record **bucket_of(const void *handle) {
  return &buckets[((uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15ull) >> 54];
}

/* With the lock. */
static struct record *find_record(const void *handle) {
  struct record *record = *bucket_of(handle);
  while (record && record->array.handle != handle)
    record = record->next;
  return record;
}

void gasan_array_note(const struct gasan_array *array) {
  pthread_mutex_lock(&lock);
  struct record *record = find_record(array->handle);
  if (!record && (record = calloc(1, sizeof *record))) {
    struct record **bucket = bucket_of(array->handle);
    record->next = *bucket;
    *bucket = record;
  }
  if (record)
    record->array = *array;
  pthread_mutex_unlock(&lock);
}

void gasan_array_forget(const void *handle) {
  pthread_mutex_lock(&lock);
  for (struct record **link = bucket_of(handle); *link; link = &(*link)->next)
    if ((*link)->array.handle == handle) {
      struct record *record = *link;
      *link = record->next;
      free(record);
      break;
    }
  pthread_mutex_unlock(&lock);
}

void gasan_array_note_freed(const void *whole, struct gasan_pool_caller caller) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < BUCKETS; i++)
    for (struct record *record = buckets[i]; record; record = record->next)
      if (record->array.whole == whole && !record->array.is_freed) {
        record->array.is_freed = true;
        record->array.freed = caller;
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
