/* Calls that name a range without copying it: advice, prefetches, questions, handles for
 * other processes. The range must lie inside one live allocation, as for a copy. Under halt_on_error=0 a reported call
 * is not made and returns cudaErrorInvalidValue.
 *
 * cudaPointerGetAttributes is never reported: its answer may be that the memory is not CUDA's (foreign_calls.c). */
#include <cuda_runtime_api.h>

#include "gasan_rt/errors.h"
#include "gasan_rt/range_check.h"
#include "gasan_rt/runtime.h"

#define EXPORT __attribute__((visibility("default")))

/* A function, its parameters, whether its ranges are right, and its arguments. */
#define CHECKED(name, parameters, ok, arguments)                                                                       \
  EXPORT cudaError_t name parameters;                                                                                  \
  EXPORT cudaError_t name parameters {                                                                                 \
    static const char api[] = #name;                                                                                   \
    gasan_rt_kind();                                                                                                   \
    if (!(ok))                                                                                                         \
      return gasan_set_error(cudaErrorInvalidValue);                                                                   \
    return GASAN_REAL(name) arguments;                                                                                 \
  }

CHECKED(cudaMemAdvise, (const void *at, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation where),
        gasan_range_ok(api, GASAN_READS, at, size), (at, size, advice, where))

#define PREFETCH(name)                                                                                                 \
  CHECKED(name, (const void *at, size_t size, struct cudaMemLocation where, unsigned flags, cudaStream_t stream),      \
          gasan_range_ok(api, GASAN_READS, at, size), (at, size, where, flags, stream))
PREFETCH(cudaMemPrefetchAsync)
PREFETCH(cudaMemPrefetchAsync_ptsz)

CHECKED(cudaMemRangeGetAttribute,
        (void *data, size_t data_size, enum cudaMemRangeAttribute attribute, const void *at, size_t size),
        gasan_range_ok(api, GASAN_READS, at, size), (data, data_size, attribute, at, size))
CHECKED(cudaMemRangeGetAttributes,
        (void **data, size_t *data_sizes, enum cudaMemRangeAttribute *attributes, size_t count, const void *at,
         size_t size),
        gasan_range_ok(api, GASAN_READS, at, size), (data, data_sizes, attributes, count, at, size))

/* Length 0: the whole allocation. */
#define ATTACH(name)                                                                                                   \
  CHECKED(name, (cudaStream_t stream, void *at, size_t size, unsigned flags),                                          \
          gasan_range_ok(api, GASAN_READS, at, size ? size : 1), (stream, at, size, flags))
ATTACH(cudaStreamAttachMemAsync)
ATTACH(cudaStreamAttachMemAsync_ptsz)

/* What CUDA refuses of a batch is its to say. */
static bool batch_ok(const char *api, enum gasan_direction direction, void *const *at, const size_t *sizes,
                     size_t count) {
  for (size_t i = 0; at && sizes && i < count; i++)
    if (!gasan_range_ok(api, direction, at[i], sizes[i]))
      return false;
  return true;
}

#define PREFETCH_BATCH(name, direction)                                                                                \
  CHECKED(name,                                                                                                        \
          (void **at, size_t *sizes, size_t count, struct cudaMemLocation *where, size_t *indices, size_t where_count, \
           unsigned long long flags, cudaStream_t stream),                                                             \
          batch_ok(api, direction, at, sizes, count), (at, sizes, count, where, indices, where_count, flags, stream))
PREFETCH_BATCH(cudaMemPrefetchBatchAsync, GASAN_READS)
PREFETCH_BATCH(cudaMemPrefetchBatchAsync_ptsz, GASAN_READS)
/* The contents of what is discarded are gone. */
PREFETCH_BATCH(cudaMemDiscardAndPrefetchBatchAsync, GASAN_WRITES)
PREFETCH_BATCH(cudaMemDiscardAndPrefetchBatchAsync_ptsz, GASAN_WRITES)

#define DISCARD_BATCH(name)                                                                                            \
  CHECKED(name, (void **at, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream),               \
          batch_ok(api, GASAN_WRITES, at, sizes, count), (at, sizes, count, flags, stream))
DISCARD_BATCH(cudaMemDiscardBatchAsync)
DISCARD_BATCH(cudaMemDiscardBatchAsync_ptsz)

/* Pages of cuMemCreate have no handle for other processes; the driver's answer would not say so. */
static cudaError_t refuse_pool_memory(void) {
  gasan_rt_warn(
      "cudaIpcGetMemHandle: another process cannot open memory that cudaMalloc took from gasan's pool: it returns "
      "cudaErrorNotSupported");
  return gasan_set_error(cudaErrorNotSupported);
}

/* The handle is of the whole allocation, whichever byte of it the pointer names. */
EXPORT cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer) {
  gasan_rt_kind();
  if (handle && !gasan_range_ok("cudaIpcGetMemHandle", GASAN_READS, pointer, 1))
    return gasan_set_error(cudaErrorInvalidValue);
  return handle && gasan_rt_owner(pointer) ? refuse_pool_memory() : GASAN_REAL(cudaIpcGetMemHandle)(handle, pointer);
}
