/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of the runtime API that CUDA 12 has and CUDA 13 has not. Each is a function of CUDA 13 under another name. */
#include <cuda_runtime_api.h>

#include "base/export.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/warn.h"

/* CUDA's headers do not declare the functions for streams per thread. */
#define SAME(old, now, arguments, ...)                                                                                 \
  cudaError_t now(__VA_ARGS__);                                                                                        \
  GASAN_EXPORT cudaError_t old(__VA_ARGS__);                                                                           \
  cudaError_t old(__VA_ARGS__) {                                                                                       \
    return now arguments;                                                                                              \
  }
#define SAME_FOR_STREAMS(old, now, arguments, ...)                                                                     \
  SAME(old, now, arguments, __VA_ARGS__)                                                                               \
  SAME(old##_ptsz, now##_ptsz, arguments, __VA_ARGS__)

SAME(cudaMemAdvise_v2, cudaMemAdvise, (at, size, advice, where), const void *at, size_t size,
     enum cudaMemoryAdvise advice, struct cudaMemLocation where)
SAME_FOR_STREAMS(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync, (at, size, where, flags, stream), const void *at,
                 size_t size, struct cudaMemLocation where, unsigned flags, cudaStream_t stream)
SAME(cudaEventElapsedTime_v2, cudaEventElapsedTime, (time, start, end), float *time, cudaEvent_t start, cudaEvent_t end)
SAME(cudaGraphAddDependencies_v2, cudaGraphAddDependencies, (graph, from, to, edges, count), cudaGraph_t graph,
     const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count)
SAME(cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies, (graph, from, to, edges, count), cudaGraph_t graph,
     const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count)
SAME(cudaGraphAddNode_v2, cudaGraphAddNode, (node, graph, before, edges, count, parameters), cudaGraphNode_t *node,
     cudaGraph_t graph, const cudaGraphNode_t *before, const cudaGraphEdgeData *edges, size_t count,
     struct cudaGraphNodeParams *parameters)
SAME(cudaGraphGetEdges_v2, cudaGraphGetEdges, (graph, from, to, edges, count), cudaGraph_t graph, cudaGraphNode_t *from,
     cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count)
SAME(cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies, (node, before, edges, count), cudaGraphNode_t node,
     cudaGraphNode_t *before, cudaGraphEdgeData *edges, size_t *count)
SAME(cudaGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes, (node, after, edges, count),
     cudaGraphNode_t node, cudaGraphNode_t *after, cudaGraphEdgeData *edges, size_t *count)
SAME_FOR_STREAMS(cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies,
                 (stream, before, edges, count, flags), cudaStream_t stream, cudaGraphNode_t *before,
                 const cudaGraphEdgeData *edges, size_t count, unsigned flags)
SAME_FOR_STREAMS(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo,
                 (stream, status, id, graph, before, edges, count), cudaStream_t stream,
                 enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                 const cudaGraphNode_t **before, const cudaGraphEdgeData **edges, size_t *count)
SAME_FOR_STREAMS(cudaSignalExternalSemaphoresAsync_v2, cudaSignalExternalSemaphoresAsync,
                 (semaphores, parameters, count, stream), const cudaExternalSemaphore_t *semaphores,
                 const struct cudaExternalSemaphoreSignalParams *parameters, unsigned count, cudaStream_t stream)
SAME_FOR_STREAMS(cudaWaitExternalSemaphoresAsync_v2, cudaWaitExternalSemaphoresAsync,
                 (semaphores, parameters, count, stream), const cudaExternalSemaphore_t *semaphores,
                 const struct cudaExternalSemaphoreWaitParams *parameters, unsigned count, cudaStream_t stream)
SAME(cudaThreadExit, cudaDeviceReset, (), void)
SAME(cudaThreadSynchronize, cudaDeviceSynchronize, (), void)
SAME(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig, (config), enum cudaFuncCache *config)
SAME(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig, (config), enum cudaFuncCache config)
SAME(cudaThreadGetLimit, cudaDeviceGetLimit, (value, limit), size_t *value, enum cudaLimit limit)
SAME(cudaThreadSetLimit, cudaDeviceSetLimit, (limit, value), enum cudaLimit limit, size_t value)

/* Has one parameter less than _v3: the data of edges. */
#define CAPTURE_INFO(old, now)                                                                                         \
  GASAN_EXPORT cudaError_t old(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,      \
                               cudaGraph_t *graph, const cudaGraphNode_t **before, size_t *count);                     \
  cudaError_t old(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,                   \
                  cudaGraph_t *graph, const cudaGraphNode_t **before, size_t *count) {                                 \
    return now(stream, status, id, graph, before, NULL, count);                                                        \
  }
CAPTURE_INFO(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo)
CAPTURE_INFO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_ptsz)

/* These convert doubles for GPUs without doubles, which CUDA no longer supports. */
GASAN_EXPORT cudaError_t cudaSetDoubleForDevice(double *value);
cudaError_t cudaSetDoubleForDevice(double *value) {
  (void)value;
  return cudaSuccess;
}

GASAN_EXPORT cudaError_t cudaSetDoubleForHost(double *value);
cudaError_t cudaSetDoubleForHost(double *value) {
  (void)value;
  return cudaSuccess;
}

GASAN_EXPORT cudaError_t cudaLaunchCooperativeKernelMultiDevice(void *launches, unsigned count, unsigned flags);
cudaError_t cudaLaunchCooperativeKernelMultiDevice(void *launches, unsigned count, unsigned flags) {
  (void)launches, (void)count, (void)flags;
  gasan_rt_warn("cudaLaunchCooperativeKernelMultiDevice is not supported: it returns cudaErrorNotSupported. Launch by "
                "cudaLaunchCooperativeKernel on each device");
  return gasan_set_error(cudaErrorNotSupported);
}
