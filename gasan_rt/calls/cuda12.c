/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime API of CUDA 12 where it differs from CUDA 13 under the same name (cuda12.inc). Each function converts its
 * arguments and calls the function of CUDA 13. Any thread; no lock.
 *
 * A program gets to these functions in one of two ways. gasan-clang++ links cuda12_link.S into programs that were
 * compiled with CUDA 12's headers. Programs that other linkers link with libcudart.so.12 refer to the symbol versions
 * of that library, which this library defines for these names. */
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <string.h>

#include "base/cuda12.h"
#include "base/export.h"

/* The last CUDA 12. Its programs ask for this version, and for the driver's functions as they were then. */
#define VERSION 12090

_Static_assert(offsetof(struct cudaDeviceProp, multiProcessorCount) == 384, "base/cuda12.h");
_Static_assert(offsetof(struct cudaDeviceProp, memoryBusWidth) == 592, "base/cuda12.h");
_Static_assert(offsetof(struct cudaDeviceProp, sharedMemPerBlockOptin) == 672, "base/cuda12.h");
_Static_assert(offsetof(struct cudaDeviceProp, unifiedFunctionPointers) == 752, "base/cuda12.h");

/* CUDA's headers do not declare these, which streams per thread use. */
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *, void **, unsigned, unsigned long long,
                                                  enum cudaDriverEntryPointQueryResult *);
cudaError_t cudaMemPrefetchAsync_ptsz(const void *, size_t, struct cudaMemLocation, unsigned, cudaStream_t);
cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t, struct cudaMemcpy3DBatchOp *, unsigned long long, cudaStream_t);
cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *, const void *const *, const size_t *, size_t,
                                      struct cudaMemcpyAttributes *, size_t *, size_t, cudaStream_t);
cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t, enum cudaStreamCaptureStatus *, unsigned long long *,
                                          cudaGraph_t *, const cudaGraphNode_t **, const cudaGraphEdgeData **,
                                          size_t *);
cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t, cudaGraphNode_t *, const cudaGraphEdgeData *, size_t,
                                                     unsigned);

/* Defines a function under its own name (for cuda12_link.S) and under its name in libcudart.so.12. */
#define FUNCTION(name, ...)                                                                                            \
  GASAN_EXPORT cudaError_t gasan_cuda12_##name(__VA_ARGS__);                                                           \
  __asm__(".symver gasan_cuda12_" #name ", " #name "@libcudart.so.12");                                                \
  cudaError_t gasan_cuda12_##name(__VA_ARGS__)

/* Memory's places were devices, or cudaCpuDeviceId. */

static struct cudaMemLocation location_of(int device) {
  return device == cudaCpuDeviceId ? (struct cudaMemLocation){.type = cudaMemLocationTypeHost}
                                   : (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = device};
}

FUNCTION(cudaMemAdvise, const void *at, size_t size, enum cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(at, size, advice, location_of(device));
}

FUNCTION(cudaMemPrefetchAsync, const void *at, size_t size, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync(at, size, location_of(device), 0, stream);
}

FUNCTION(cudaMemPrefetchAsync_ptsz, const void *at, size_t size, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync_ptsz(at, size, location_of(device), 0, stream);
}

/* Edges of graphs had no data. */

FUNCTION(cudaGraphAddDependencies, cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
         size_t count) {
  return cudaGraphAddDependencies(graph, from, to, NULL, count);
}

FUNCTION(cudaGraphRemoveDependencies, cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
         size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, NULL, count);
}

FUNCTION(cudaGraphAddNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
         struct cudaGraphNodeParams *parameters) {
  return cudaGraphAddNode(node, graph, before, NULL, count, parameters);
}

FUNCTION(cudaGraphGetEdges, cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
  return cudaGraphGetEdges(graph, from, to, NULL, count);
}

FUNCTION(cudaGraphNodeGetDependencies, cudaGraphNode_t node, cudaGraphNode_t *before, size_t *count) {
  return cudaGraphNodeGetDependencies(node, before, NULL, count);
}

FUNCTION(cudaGraphNodeGetDependentNodes, cudaGraphNode_t node, cudaGraphNode_t *after, size_t *count) {
  return cudaGraphNodeGetDependentNodes(node, after, NULL, count);
}

FUNCTION(cudaStreamUpdateCaptureDependencies, cudaStream_t stream, cudaGraphNode_t *before, size_t count,
         unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(stream, before, NULL, count, flags);
}

FUNCTION(cudaStreamUpdateCaptureDependencies_ptsz, cudaStream_t stream, cudaGraphNode_t *before, size_t count,
         unsigned flags) {
  return cudaStreamUpdateCaptureDependencies_ptsz(stream, before, NULL, count, flags);
}

/* The first version of the function, which CUDA 12's headers replace by _v2 (cuda12_names.c). */

FUNCTION(cudaStreamGetCaptureInfo, cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id) {
  return cudaStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL, NULL);
}

FUNCTION(cudaStreamGetCaptureInfo_ptsz, cudaStream_t stream, enum cudaStreamCaptureStatus *status,
         unsigned long long *id) {
  return cudaStreamGetCaptureInfo_ptsz(stream, status, id, NULL, NULL, NULL, NULL);
}

/* Batches told the index of the copy that failed; SIZE_MAX: no copy in particular. */

static cudaError_t without_index(cudaError_t error, size_t *failed) {
  if (error != cudaSuccess && failed)
    *failed = SIZE_MAX;
  return error;
}

FUNCTION(cudaMemcpyBatchAsync, void **to, void **from, size_t *sizes, size_t count,
         struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count, size_t *failed,
         cudaStream_t stream) {
  return without_index(
      cudaMemcpyBatchAsync(to, (const void *const *)from, sizes, count, attributes, indices, attribute_count, stream),
      failed);
}

FUNCTION(cudaMemcpyBatchAsync_ptsz, void **to, void **from, size_t *sizes, size_t count,
         struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count, size_t *failed,
         cudaStream_t stream) {
  return without_index(cudaMemcpyBatchAsync_ptsz(to, (const void *const *)from, sizes, count, attributes, indices,
                                                 attribute_count, stream),
                       failed);
}

FUNCTION(cudaMemcpy3DBatchAsync, size_t count, struct cudaMemcpy3DBatchOp *list, size_t *failed,
         unsigned long long flags, cudaStream_t stream) {
  return without_index(cudaMemcpy3DBatchAsync(count, list, flags, stream), failed);
}

FUNCTION(cudaMemcpy3DBatchAsync_ptsz, size_t count, struct cudaMemcpy3DBatchOp *list, size_t *failed,
         unsigned long long flags, cudaStream_t stream) {
  return without_index(cudaMemcpy3DBatchAsync_ptsz(count, list, flags, stream), failed);
}

/* Structures were shorter (base/cuda12.h). An argument is copied to a cleared structure; a result is cut. */

#define LONGER(type, from, size)                                                                                       \
  type longer = {0};                                                                                                   \
  if (from)                                                                                                            \
    memcpy(&longer, from, size);                                                                                       \
  const type *pointer = (from) ? &longer : NULL

FUNCTION(cudaCreateSurfaceObject, cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource) {
  LONGER(struct cudaResourceDesc, resource, GASAN_CUDA12_RESOURCE_SIZE);
  return cudaCreateSurfaceObject(object, pointer);
}

FUNCTION(cudaCreateTextureObject, cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
         const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view) {
  LONGER(struct cudaResourceDesc, resource, GASAN_CUDA12_RESOURCE_SIZE);
  struct cudaResourceViewDesc longer_view = {0};
  if (view)
    memcpy(&longer_view, view, GASAN_CUDA12_RESOURCE_VIEW_SIZE);
  return cudaCreateTextureObject(object, pointer, texture, view ? &longer_view : NULL);
}

FUNCTION(cudaExternalMemoryGetMappedBuffer, void **at, cudaExternalMemory_t memory,
         const struct cudaExternalMemoryBufferDesc *buffer) {
  LONGER(struct cudaExternalMemoryBufferDesc, buffer, GASAN_CUDA12_EXTERNAL_BUFFER_SIZE);
  longer.reserved[0] = 0; /* padding in CUDA 12 */
  return cudaExternalMemoryGetMappedBuffer(at, memory, pointer);
}

FUNCTION(cudaExternalMemoryGetMappedMipmappedArray, cudaMipmappedArray_t *array, cudaExternalMemory_t memory,
         const struct cudaExternalMemoryMipmappedArrayDesc *description) {
  LONGER(struct cudaExternalMemoryMipmappedArrayDesc, description, GASAN_CUDA12_EXTERNAL_ARRAY_SIZE);
  return cudaExternalMemoryGetMappedMipmappedArray(array, memory, pointer);
}

FUNCTION(cudaImportExternalMemory, cudaExternalMemory_t *memory,
         const struct cudaExternalMemoryHandleDesc *description) {
  LONGER(struct cudaExternalMemoryHandleDesc, description, GASAN_CUDA12_EXTERNAL_MEMORY_SIZE);
  longer.reserved[0] = 0; /* padding in CUDA 12 */
  return cudaImportExternalMemory(memory, pointer);
}

FUNCTION(cudaImportExternalSemaphore, cudaExternalSemaphore_t *semaphore,
         const struct cudaExternalSemaphoreHandleDesc *description) {
  LONGER(struct cudaExternalSemaphoreHandleDesc, description, GASAN_CUDA12_EXTERNAL_SEMAPHORE_SIZE);
  longer.reserved[0] = 0; /* padding in CUDA 12 */
  return cudaImportExternalSemaphore(semaphore, pointer);
}

/* Copies the part of a result that CUDA 12 knows. */
static cudaError_t cut(cudaError_t error, void *to, const void *from, size_t size) {
  if (error == cudaSuccess)
    memcpy(to, from, size);
  return error;
}

FUNCTION(cudaGetSurfaceObjectResourceDesc, struct cudaResourceDesc *resource, cudaSurfaceObject_t object) {
  struct cudaResourceDesc longer = {0};
  return cut(cudaGetSurfaceObjectResourceDesc(resource ? &longer : NULL, object), resource, &longer,
             GASAN_CUDA12_RESOURCE_SIZE);
}

FUNCTION(cudaGetTextureObjectResourceDesc, struct cudaResourceDesc *resource, cudaTextureObject_t object) {
  struct cudaResourceDesc longer = {0};
  return cut(cudaGetTextureObjectResourceDesc(resource ? &longer : NULL, object), resource, &longer,
             GASAN_CUDA12_RESOURCE_SIZE);
}

FUNCTION(cudaGetTextureObjectResourceViewDesc, struct cudaResourceViewDesc *view, cudaTextureObject_t object) {
  struct cudaResourceViewDesc longer = {0};
  return cut(cudaGetTextureObjectResourceViewDesc(view ? &longer : NULL, object), view, &longer,
             GASAN_CUDA12_RESOURCE_VIEW_SIZE);
}

FUNCTION(cudaPointerGetAttributes, struct cudaPointerAttributes *attributes, const void *pointer) {
  struct cudaPointerAttributes longer = {0};
  return cut(cudaPointerGetAttributes(attributes ? &longer : NULL, pointer), attributes, &longer,
             GASAN_CUDA12_POINTER_ATTRIBUTES_SIZE);
}

/* The properties of devices */

static cudaError_t read_properties(void *properties, size_t size, int device) {
  struct cudaDeviceProp now;
  char whole[GASAN_CUDA12_PROPERTIES_SIZE];
  cudaError_t error = cudaGetDeviceProperties(properties ? &now : NULL, device);
  if (error != cudaSuccess)
    return error;
  gasan_cuda12_properties_from_13(whole, &now);
  for (size_t i = 0; i < sizeof gasan_cuda12_removed / sizeof *gasan_cuda12_removed; i++) {
    int value = 0;
    error = cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)gasan_cuda12_removed[i].attribute, device);
    if (error != cudaSuccess)
      return error;
    memcpy(whole + gasan_cuda12_removed[i].at12, &value, sizeof value);
  }
  memcpy(properties, whole, size);
  return cudaSuccess;
}

FUNCTION(cudaGetDeviceProperties, void *properties, int device) {
  return read_properties(properties, GASAN_CUDA11_PROPERTIES_SIZE, device);
}

GASAN_EXPORT cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
cudaError_t cudaGetDeviceProperties_v2(void *properties, int device) {
  return read_properties(properties, GASAN_CUDA12_PROPERTIES_SIZE, device);
}

FUNCTION(cudaChooseDevice, int *device, const void *properties) {
  struct cudaDeviceProp now;
  if (properties)
    gasan_cuda12_properties_to_13(&now, sizeof now, properties);
  return cudaChooseDevice(device, properties ? &now : NULL);
}

/* Versions */

FUNCTION(cudaRuntimeGetVersion, int *version) {
  cudaError_t error = cudaRuntimeGetVersion(version);
  if (error == cudaSuccess && *version > VERSION)
    *version = VERSION;
  return error;
}

FUNCTION(cudaGetDriverEntryPoint, const char *name, void **function, unsigned long long flags,
         enum cudaDriverEntryPointQueryResult *found) {
  return cudaGetDriverEntryPointByVersion(name, function, VERSION, flags, found);
}

FUNCTION(cudaGetDriverEntryPoint_ptsz, const char *name, void **function, unsigned long long flags,
         enum cudaDriverEntryPointQueryResult *found) {
  return cudaGetDriverEntryPointByVersion_ptsz(name, function, VERSION, flags, found);
}
