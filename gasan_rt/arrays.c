/* Calls that make, name and free arrays. */
#include "gasan_rt/arrays.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>

#include "gasan_rt/device_error.h"
#include "gasan_rt/errors.h"
#include "gasan_rt/memory.h"
#include "gasan_rt/range_check.h"
#include "gasan_rt/report_view.h"
#include "gasan_rt/runtime.h"
#include "gasan_rt/views.h"

#define EXPORT __attribute__((visibility("default")))
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

/* Takes the place of a record of the same handle. Without host memory the array stays unknown. */
static void add_record(const struct gasan_array *array) {
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

/* The array, or all of a mipmapped one. */
static void end_records(const void *whole, struct gasan_pool_caller caller) {
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

size_t gasan_array_row(const struct gasan_array *array) {
  return array->texel ? array->extent.width * array->texel : SIZE_MAX;
}

size_t gasan_array_height(const struct gasan_array *array) {
  return array->extent.height ? array->extent.height : 1;
}

size_t gasan_array_depth(const struct gasan_array *array) {
  return array->extent.depth ? array->extent.depth : 1;
}

static cudaError_t note_array(cudaError_t error, cudaArray_t *handle, const char *api) {
  if (error == cudaSuccess && handle && *handle) {
    struct gasan_array array = {
        .handle = *handle, .whole = *handle, .has_allocation = true, .allocated = gasan_memory_caller(api)};
    if (ask_cuda(*handle, &array))
      add_record(&array);
  }
  gasan_device_error_seen(error);
  return error;
}

EXPORT cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width,
                                   size_t height, unsigned flags) {
  return note_array(GASAN_REAL(cudaMallocArray)(array, format, width, height, flags), array, "cudaMallocArray");
}

EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                                     struct cudaExtent extent, unsigned flags) {
  return note_array(GASAN_REAL(cudaMalloc3DArray)(array, format, extent, flags), array, "cudaMalloc3DArray");
}

EXPORT cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *handle, const struct cudaChannelFormatDesc *format,
                                            struct cudaExtent extent, unsigned levels, unsigned flags) {
  cudaError_t error = GASAN_REAL(cudaMallocMipmappedArray)(handle, format, extent, levels, flags);
  if (error == cudaSuccess && handle && *handle) {
    struct gasan_array array = {.handle = *handle,
                                .whole = *handle,
                                .extent = extent,
                                .flags = flags,
                                .texel = (uint32_t)gasan_texel_size(format),
                                .has_allocation = true,
                                .is_mipmapped = true,
                                .allocated = gasan_memory_caller("cudaMallocMipmappedArray")};
    add_record(&array);
  }
  gasan_device_error_seen(error);
  return error;
}

EXPORT cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t mipmapped,
                                              unsigned number) {
  struct gasan_array whole;
  if (gasan_array_find(mipmapped, true, &whole) && whole.is_freed &&
      gasan_report_freed_array("cudaGetMipmappedArrayLevel", &whole, false))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error = GASAN_REAL(cudaGetMipmappedArrayLevel)(level, mipmapped, number);
  if (error == cudaSuccess && level && *level && gasan_array_find(mipmapped, true, &whole)) {
    struct gasan_array array = {
        .handle = *level, .whole = mipmapped, .has_allocation = whole.has_allocation, .allocated = whole.allocated};
    if (ask_cuda(*level, &array))
      add_record(&array);
  }
  return error;
}

/* The record of a handle that was given again past us says too little: only what was certainly freed is reported. */
#define FREE(name, type, mipmapped)                                                                                    \
  EXPORT cudaError_t name(type handle) {                                                                               \
    struct gasan_array array;                                                                                          \
    struct gasan_pool_caller caller = gasan_memory_caller(#name);                                                      \
    if (handle && gasan_array_find(handle, mipmapped, &array) && array.is_freed &&                                     \
        gasan_report_array_double_free(&array, &caller))                                                               \
      return gasan_set_error(cudaErrorInvalidValue);                                                                   \
    cudaError_t error = GASAN_REAL(name)(handle);                                                                      \
    if (error == cudaSuccess && handle) {                                                                              \
      end_records(handle, caller);                                                                                     \
      gasan_views_array_freed(handle, caller);                                                                         \
    }                                                                                                                  \
    gasan_device_error_seen(error);                                                                                    \
    return error;                                                                                                      \
  }
FREE(cudaFreeArray, cudaArray_t, false)
FREE(cudaFreeMipmappedArray, cudaMipmappedArray_t, true)

/* Arrays that belong to others: their handles may have been those of freed arrays. */
#define FOREIGN(name, result, parameters, arguments)                                                                   \
  EXPORT cudaError_t name parameters {                                                                                 \
    cudaError_t error = GASAN_REAL(name) arguments;                                                                    \
    if (error == cudaSuccess && (result))                                                                              \
      gasan_array_forget(*(result));                                                                                   \
    return error;                                                                                                      \
  }
FOREIGN(cudaArrayGetPlane, plane, (cudaArray_t * plane, cudaArray_t array, unsigned number), (plane, array, number))
FOREIGN(cudaExternalMemoryGetMappedMipmappedArray, array,
        (cudaMipmappedArray_t * array, cudaExternalMemory_t memory,
         const struct cudaExternalMemoryMipmappedArrayDesc *description),
        (array, memory, description))
FOREIGN(cudaGraphicsResourceGetMappedMipmappedArray, array,
        (cudaMipmappedArray_t * array, cudaGraphicsResource_t resource), (array, resource))
FOREIGN(cudaGraphicsSubResourceGetMappedArray, array,
        (cudaArray_t * array, cudaGraphicsResource_t resource, unsigned index, unsigned level),
        (array, resource, index, level))
/* Of the three planes of a cudaEglFrame, whose header needs EGL's. */
EXPORT cudaError_t cudaGraphicsResourceGetMappedEglFrame(void **planes, cudaGraphicsResource_t resource, unsigned index,
                                                         unsigned level);
EXPORT cudaError_t cudaGraphicsResourceGetMappedEglFrame(void **planes, cudaGraphicsResource_t resource, unsigned index,
                                                         unsigned level) {
  cudaError_t error = GASAN_REAL(cudaGraphicsResourceGetMappedEglFrame)(planes, resource, index, level);
  for (int i = 0; error == cudaSuccess && planes && i < 3; i++)
    gasan_array_forget(planes[i]);
  return error;
}
