/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libcudart.so.12 as the CUDA runtime behind gasan's functions, which have CUDA 13's parameters. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <string.h>

#include "base/cuda12.h"
#include "device/cuda/gpu.h"

static void *library;

/* Calls a function of the library with the type `type`. Returns cudaErrorNotSupported if the library lacks it. */
#define CALL(name, type, ...)                                                                                          \
  type *function = (type *)dlsym(library, name);                                                                       \
  return function ? function(__VA_ARGS__) : cudaErrorNotSupported

typedef cudaError_t get_properties(void *, int);
typedef cudaError_t choose_device(int *, const void *);
typedef cudaError_t copy_batch(void *const *, const void *const *, const size_t *, size_t,
                               struct cudaMemcpyAttributes *, size_t *, size_t, size_t *, cudaStream_t);
typedef cudaError_t copy_batch_3d(size_t, struct cudaMemcpy3DBatchOp *, size_t *, unsigned long long, cudaStream_t);
typedef cudaError_t entry_point(const char *, void **, unsigned long long, enum cudaDriverEntryPointQueryResult *);

static cudaError_t get_device_properties(struct cudaDeviceProp *properties, int device) {
  get_properties *function = (get_properties *)dlsym(library, "cudaGetDeviceProperties_v2");
  char whole[GASAN_CUDA12_PROPERTIES_SIZE];
  if (!function)
    return cudaErrorNotSupported;
  cudaError_t error = function(properties ? whole : NULL, device);
  if (error == cudaSuccess)
    gasan_cuda12_properties_to_13(properties, sizeof *properties, whole);
  return error;
}

static cudaError_t choose(int *device, const struct cudaDeviceProp *properties) {
  char whole[GASAN_CUDA12_PROPERTIES_SIZE];
  if (properties)
    gasan_cuda12_properties_from_13(whole, properties);
  CALL("cudaChooseDevice", choose_device, device, properties ? whole : NULL);
}

static cudaError_t memcpy_batch(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                cudaStream_t stream) {
  size_t failed;
  CALL("cudaMemcpyBatchAsync", copy_batch, to, from, sizes, count, attributes, indices, attribute_count, &failed,
       stream);
}

static cudaError_t memcpy_batch_for_thread(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                           struct cudaMemcpyAttributes *attributes, size_t *indices,
                                           size_t attribute_count, cudaStream_t stream) {
  size_t failed;
  CALL("cudaMemcpyBatchAsync_ptsz", copy_batch, to, from, sizes, count, attributes, indices, attribute_count, &failed,
       stream);
}

static cudaError_t memcpy_3d_batch(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                                   cudaStream_t stream) {
  size_t failed;
  CALL("cudaMemcpy3DBatchAsync", copy_batch_3d, count, list, &failed, flags, stream);
}

static cudaError_t memcpy_3d_batch_for_thread(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                                              cudaStream_t stream) {
  size_t failed;
  CALL("cudaMemcpy3DBatchAsync_ptsz", copy_batch_3d, count, list, &failed, flags, stream);
}

/* For CUDA 12.4, which finds the driver's functions as of its own version only. */
static cudaError_t get_entry_point(const char *name, void **function_found, unsigned version, unsigned long long flags,
                                   enum cudaDriverEntryPointQueryResult *found) {
  CALL("cudaGetDriverEntryPoint", entry_point, name, function_found, flags, found);
}

static cudaError_t get_entry_point_for_thread(const char *name, void **function_found, unsigned version,
                                              unsigned long long flags, enum cudaDriverEntryPointQueryResult *found) {
  CALL("cudaGetDriverEntryPoint_ptsz", entry_point, name, function_found, flags, found);
}

/* A function of CUDA 13: its name in CUDA 12, or a function here. */
static const struct {
  const char *name, *name12;
  void *function;
} changed[] = {
    {"cudaChooseDevice", NULL, (void *)choose},
    {"cudaGetDeviceProperties", NULL, (void *)get_device_properties},
    {"cudaGraphAddDependencies", "cudaGraphAddDependencies_v2", NULL},
    {"cudaGraphAddNode", "cudaGraphAddNode_v2", NULL},
    {"cudaGraphGetEdges", "cudaGraphGetEdges_v2", NULL},
    {"cudaGraphNodeGetDependencies", "cudaGraphNodeGetDependencies_v2", NULL},
    {"cudaGraphNodeGetDependentNodes", "cudaGraphNodeGetDependentNodes_v2", NULL},
    {"cudaGraphRemoveDependencies", "cudaGraphRemoveDependencies_v2", NULL},
    {"cudaMemAdvise", "cudaMemAdvise_v2", NULL},
    {"cudaMemPrefetchAsync", "cudaMemPrefetchAsync_v2", NULL},
    {"cudaMemPrefetchAsync_ptsz", "cudaMemPrefetchAsync_v2_ptsz", NULL},
    {"cudaMemcpy3DBatchAsync", NULL, (void *)memcpy_3d_batch},
    {"cudaMemcpy3DBatchAsync_ptsz", NULL, (void *)memcpy_3d_batch_for_thread},
    {"cudaMemcpyBatchAsync", NULL, (void *)memcpy_batch},
    {"cudaMemcpyBatchAsync_ptsz", NULL, (void *)memcpy_batch_for_thread},
    {"cudaSignalExternalSemaphoresAsync", "cudaSignalExternalSemaphoresAsync_v2", NULL},
    {"cudaSignalExternalSemaphoresAsync_ptsz", "cudaSignalExternalSemaphoresAsync_v2_ptsz", NULL},
    {"cudaStreamGetCaptureInfo", "cudaStreamGetCaptureInfo_v3", NULL},
    {"cudaStreamGetCaptureInfo_ptsz", "cudaStreamGetCaptureInfo_v3_ptsz", NULL},
    {"cudaStreamUpdateCaptureDependencies", "cudaStreamUpdateCaptureDependencies_v2", NULL},
    {"cudaStreamUpdateCaptureDependencies_ptsz", "cudaStreamUpdateCaptureDependencies_v2_ptsz", NULL},
    {"cudaWaitExternalSemaphoresAsync", "cudaWaitExternalSemaphoresAsync_v2", NULL},
    {"cudaWaitExternalSemaphoresAsync_ptsz", "cudaWaitExternalSemaphoresAsync_v2_ptsz", NULL},
};

void gasan_cuda_runtime12_use(void *runtime_library) {
  library = runtime_library;
}

void *gasan_cuda_runtime12_symbol(const char *name) {
  for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
    if (!strcmp(changed[i].name, name))
      return changed[i].function ? changed[i].function : dlsym(library, changed[i].name12);
  void *found = dlsym(library, name);
  if (!found && !strcmp(name, "cudaGetDriverEntryPointByVersion"))
    return (void *)get_entry_point;
  if (!found && !strcmp(name, "cudaGetDriverEntryPointByVersion_ptsz"))
    return (void *)get_entry_point_for_thread;
  return found;
}
