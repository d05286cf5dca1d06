/* Calls that allocate, name and free memory. */
#include <cuda_runtime_api.h>
#include <stdint.h>

#include "gasan_rt/calls/export.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/allocate.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/foreign_free.h"
#include "gasan_rt/memory/free.h"
#include "gasan_rt/memory/ordered.h"

EXPORT cudaError_t cudaMalloc(void **pointer, size_t size) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!state || !state->pool || !pointer || size == 0 || gasan_capture_forbids())
    return GASAN_REAL(cudaMalloc)(pointer, size);
  return gasan_memory_allocate(state, "cudaMalloc", pointer, size);
}

/* The real runtime chooses the pitch, from the device's texture alignment; 512 suits every GPU so far. */
#define PITCH_ALIGNMENT 512u

static bool padded(size_t width, size_t rows, size_t *pitch, size_t *total) {
  *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  return *pitch >= width && !__builtin_mul_overflow(*pitch, rows, total);
}

EXPORT cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  struct gasan_rt_device *state = gasan_rt_current();
  size_t padded_width = 0, total = 0;
  if (!state || !state->pool || !pointer || !pitch || width == 0 || height == 0 ||
      !padded(width, height, &padded_width, &total) || gasan_capture_forbids())
    return GASAN_REAL(cudaMallocPitch)(pointer, pitch, width, height);
  cudaError_t error = gasan_memory_allocate(state, "cudaMallocPitch", pointer, total);
  if (error == cudaSuccess)
    *pitch = padded_width;
  return error;
}

EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent) {
  struct gasan_rt_device *state = gasan_rt_current();
  size_t pitch = 0, rows = 0, total = 0;
  if (!state || !state->pool || !pitched || extent.width == 0 || extent.height == 0 || extent.depth == 0 ||
      __builtin_mul_overflow(extent.height, extent.depth, &rows) || !padded(extent.width, rows, &pitch, &total) ||
      gasan_capture_forbids())
    return GASAN_REAL(cudaMalloc3D)(pitched, extent);
  void *pointer = NULL;
  cudaError_t error = gasan_memory_allocate(state, "cudaMalloc3D", &pointer, total);
  if (error == cudaSuccess)
    *pitched = (struct cudaPitchedPtr){pointer, pitch, extent.width, extent.height};
  return error;
}

EXPORT cudaError_t cudaFree(void *pointer) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!pointer || !state)
    return GASAN_REAL(cudaFree)(pointer);
  return gasan_memory_free_any("cudaFree", pointer, GASAN_REAL(cudaFree));
}

/* A GPU's driver gives this memory without gaps: a byte more, so that the end of one allocation is not the start of the
 * next one, whose bounds a pointer to the end would get. */
static size_t with_gap(size_t size) {
  return size && size < SIZE_MAX && gasan_rt_kind() == &gasan_device_cuda ? size + 1 : size;
}

/* What waits in quarantine is given back before an allocation fails. */
#define ALLOCATE(name, parameters, arguments, kind)                                                                    \
  EXPORT cudaError_t name parameters {                                                                                 \
    cudaError_t error = GASAN_REAL(name) arguments;                                                                    \
    if (error == cudaErrorMemoryAllocation && !gasan_capture_active() && gasan_foreign_give_back()) {                  \
      (void)GASAN_REAL(cudaGetLastError)();                                                                            \
      error = GASAN_REAL(name) arguments;                                                                              \
    }                                                                                                                  \
    return gasan_foreign_note(error, kind, pointer, size, #name);                                                      \
  }
ALLOCATE(cudaMallocManaged, (void **pointer, size_t size, unsigned flags), (pointer, with_gap(size), flags),
         GASAN_FOREIGN_MANAGED)
ALLOCATE(cudaMallocHost, (void **pointer, size_t size), (pointer, with_gap(size)), GASAN_FOREIGN_PINNED)
ALLOCATE(cudaHostAlloc, (void **pointer, size_t size, unsigned flags), (pointer, with_gap(size), flags),
         GASAN_FOREIGN_PINNED)

EXPORT cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags) {
  cudaError_t error = GASAN_REAL(cudaHostRegister)(pointer, size, flags);
  if (error == cudaSuccess && pointer && size && gasan_foreign_watches())
    gasan_foreign_register(pointer, size, "cudaHostRegister");
  return error;
}

EXPORT cudaError_t cudaHostUnregister(void *pointer) {
  void *alias = gasan_foreign_alias(pointer);
  cudaError_t error = GASAN_REAL(cudaHostUnregister)(pointer);
  if (error == cudaSuccess)
    gasan_foreign_unregister(pointer, alias);
  return error;
}

EXPORT cudaError_t cudaExternalMemoryGetMappedBuffer(void **pointer, cudaExternalMemory_t memory,
                                                     const struct cudaExternalMemoryBufferDesc *buffer) {
  cudaError_t error = GASAN_REAL(cudaExternalMemoryGetMappedBuffer)(pointer, memory, buffer);
  return gasan_foreign_note(error, GASAN_FOREIGN_IMPORTED, pointer, buffer ? (size_t)buffer->size : 0,
                            "cudaExternalMemoryGetMappedBuffer");
}

EXPORT cudaError_t cudaFreeHost(void *pointer) {
  return gasan_foreign_free_host("cudaFreeHost", pointer, GASAN_REAL(cudaFreeHost));
}

EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
  gasan_rt_kind();
  if (!attributes || !gasan_foreign_is_free(pointer))
    return GASAN_REAL(cudaPointerGetAttributes)(attributes, pointer);
  static const char unknown; /* as any memory that CUDA does not know */
  cudaError_t error = GASAN_REAL(cudaPointerGetAttributes)(attributes, &unknown);
  if (error == cudaSuccess && attributes->devicePointer)
    attributes->devicePointer = (void *)pointer;
  if (error == cudaSuccess && attributes->hostPointer)
    attributes->hostPointer = (void *)pointer;
  return error;
}

#define FREE_ASYNC(name, as_called)                                                                                    \
  EXPORT cudaError_t name(void *pointer, cudaStream_t stream);                                                         \
  EXPORT cudaError_t name(void *pointer, cudaStream_t stream) {                                                        \
    return gasan_ordered_free(#name, pointer, stream, as_called(stream), GASAN_REAL(name));                            \
  }
FREE_ASYNC(cudaFreeAsync, GASAN_AS_CALLED)
FREE_ASYNC(cudaFreeAsync_ptsz, GASAN_AS_CALLED_ptsz)

#define MALLOC_ASYNC(name, as_called, parameters, arguments, given)                                                    \
  EXPORT cudaError_t name parameters;                                                                                  \
  EXPORT cudaError_t name parameters {                                                                                 \
    cudaMemPool_t pool = given;                                                                                        \
    struct gasan_rt_device *state = pointer && size ? gasan_ordered_server(&pool, as_called(stream)) : NULL;           \
    if (state)                                                                                                         \
      return gasan_ordered_allocate(state, #name, pointer, size, pool, as_called(stream));                             \
    return gasan_ordered_note(GASAN_REAL(name) arguments, #name, pointer, size, as_called(stream),                     \
                              !pointer || !size || gasan_capture_in(as_called(stream)));                               \
  }
#define MALLOC_FROM_STREAM(name, as_called)                                                                            \
  MALLOC_ASYNC(name, as_called, (void **pointer, size_t size, cudaStream_t stream), (pointer, size, stream), NULL)
MALLOC_FROM_STREAM(cudaMallocAsync, GASAN_AS_CALLED)
MALLOC_FROM_STREAM(cudaMallocAsync_ptsz, GASAN_AS_CALLED_ptsz)
/* A NULL handle is CUDA's to refuse. */
#define MALLOC_FROM_POOL(name, as_called)                                                                              \
  MALLOC_ASYNC(name, as_called, (void **pointer, size_t size, cudaMemPool_t from, cudaStream_t stream),                \
               (pointer, size, from, stream), from ? from : (cudaMemPool_t) - 1)
MALLOC_FROM_POOL(cudaMallocFromPoolAsync, GASAN_AS_CALLED)
MALLOC_FROM_POOL(cudaMallocFromPoolAsync_ptsz, GASAN_AS_CALLED_ptsz)
