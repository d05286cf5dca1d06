/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls that stream capture changes (captured.inc). A call becomes a node if its stream captures, fails if a
 * capture forbids it, and otherwise calls the function of api.inc. */
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/array.h"
#include "device/cpu/capture.h"
#include "device/cpu/graph.h"
#include "device/cpu/handles.h"

/* Returns the stream of a call by its per-thread name. */
static cudaStream_t per_thread(cudaStream_t stream) {
  return stream ? stream : cudaStreamPerThread;
}

#define PLAIN(name, parameters, before, arguments)                                                                     \
  cudaError_t gasan_cpu_captured_##name parameters {                                                                   \
    before;                                                                                                            \
    return gasan_cpu_##name arguments;                                                                                 \
  }
/* Defines a call and its per-thread variant. One of the parameters is `stream`. */
#define STREAM(name, parameters, before, arguments)                                                                    \
  PLAIN(name, parameters, before, arguments)                                                                           \
  cudaError_t gasan_cpu_captured_##name##_ptsz parameters {                                                            \
    stream = per_thread(stream);                                                                                       \
    return gasan_cpu_captured_##name arguments;                                                                        \
  }
/* Defines a call that waits for the default stream, and its per-thread variant. */
#define WAITING(name, parameters, arguments)                                                                           \
  PLAIN(name, parameters, FORBID(stream(cudaStreamLegacy)), arguments)                                                 \
  cudaError_t gasan_cpu_captured_##name##_ptds parameters {                                                            \
    FORBID(stream(cudaStreamPerThread));                                                                               \
    return gasan_cpu_##name arguments;                                                                                 \
  }

#define RETURN_IF_REFUSED(call)                                                                                        \
  do {                                                                                                                 \
    cudaError_t refused = call;                                                                                        \
    if (refused != cudaSuccess)                                                                                        \
      return refused;                                                                                                  \
  } while (0)
#define FORBID(what) RETURN_IF_REFUSED(gasan_cpu_capture_forbids_##what)
#define UNSAFE FORBID(unsafe())

/* Captures the call as a node if the stream captures. `make` fills in `params`. */
#define NODE_WITH(stream_given, make, attributes, attribute_count)                                                     \
  do {                                                                                                                 \
    cudaError_t error;                                                                                                 \
    struct gasan_cpu_lane *lane = gasan_cpu_capture_enter(stream_given, &error);                                       \
    if (error != cudaSuccess)                                                                                          \
      return error;                                                                                                    \
    if (lane) {                                                                                                        \
      struct cudaGraphNodeParams params = {0};                                                                         \
      error = make;                                                                                                    \
      return gasan_cpu_capture_add(lane, error, &params, attributes, attribute_count);                                 \
    }                                                                                                                  \
  } while (0)
#define NODE(make) NODE_WITH(stream, make, NULL, 0)

static cudaError_t make_kernel(struct cudaGraphNodeParams *params, const void *function, dim3 grid, dim3 block,
                               void **arguments, size_t shared) {
  params->type = cudaGraphNodeTypeKernel;
  params->kernel = (struct cudaKernelNodeParamsV2){.func = (void *)function,
                                                   .gridDim = grid,
                                                   .blockDim = block,
                                                   .sharedMemBytes = (unsigned)shared,
                                                   .kernelParams = arguments};
  return cudaSuccess;
}

static const cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
#define LAUNCH_PARAMETERS                                                                                              \
  (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
#define LAUNCH_ARGUMENTS (function, grid, block, arguments, shared, stream)
#define KERNEL make_kernel(&params, function, grid, block, arguments, shared)
STREAM(cudaLaunchKernel, LAUNCH_PARAMETERS, NODE(KERNEL), LAUNCH_ARGUMENTS)
STREAM(cudaLaunchCooperativeKernel, LAUNCH_PARAMETERS, NODE_WITH(stream, KERNEL, &cooperative, 1), LAUNCH_ARGUMENTS)
STREAM(__cudaLaunchKernel,
       (cudaKernel_t function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
       NODE(KERNEL), LAUNCH_ARGUMENTS)

PLAIN(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *function, void **arguments),
      if (config && (config->attrs || !config->numAttrs))
          NODE_WITH(config->stream,
                    make_kernel(&params, function, config->gridDim, config->blockDim, arguments,
                                config->dynamicSmemBytes),
                    config->attrs, config->numAttrs),
      (config, function, arguments))

cudaError_t gasan_cpu_captured_cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                                        void **arguments) {
  cudaLaunchConfig_t own = config ? *config : (cudaLaunchConfig_t){0};
  own.stream = per_thread(own.stream);
  return gasan_cpu_captured_cudaLaunchKernelExC(config ? &own : NULL, function, arguments);
}

static cudaError_t make_copy(struct cudaGraphNodeParams *params, void *to, const void *from, size_t size,
                             enum cudaMemcpyKind kind) {
  *params = gasan_cpu_work_copy_1d(to, from, size, kind);
  return cudaSuccess;
}

static cudaError_t make_plane(struct cudaGraphNodeParams *params, void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
  params->type = cudaGraphNodeTypeMemcpy;
  params->memcpy.copyParams = (struct cudaMemcpy3DParms){.srcPtr = {(void *)from, from_pitch, width, height},
                                                         .dstPtr = {to, to_pitch, width, height},
                                                         .extent = {width, height, 1},
                                                         .kind = kind};
  return width > to_pitch || width > from_pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
}

static cudaError_t make_box(struct cudaGraphNodeParams *params, const struct cudaMemcpy3DParms *copy) {
  if (!copy)
    return cudaErrorInvalidValue;
  params->type = cudaGraphNodeTypeMemcpy;
  params->memcpy.copyParams = *copy;
  return cudaSuccess;
}

/* Converts an array's offset and width from bytes to elements. Returns false if there is no array, or if they are not
 * whole elements. */
static bool in_elements(cudaArray_const_t array, size_t *x, size_t *width) {
  size_t size = gasan_cpu_array_valid(array) ? gasan_cpu_texel_size(&array->format) : 0;
  if (!size || *x % size || *width % size)
    return false;
  *x /= size;
  *width /= size;
  return true;
}

static cudaError_t make_to_array(struct cudaGraphNodeParams *params, cudaArray_t array, size_t x, size_t y,
                                 const void *from, size_t pitch, size_t width, size_t height,
                                 enum cudaMemcpyKind kind) {
  struct cudaPitchedPtr source = {(void *)from, pitch, width, height};
  if (!in_elements(array, &x, &width))
    return cudaErrorInvalidValue;
  params->type = cudaGraphNodeTypeMemcpy;
  params->memcpy.copyParams = (struct cudaMemcpy3DParms){
      .srcPtr = source, .dstArray = array, .dstPos = {x, y, 0}, .extent = {width, height, 1}, .kind = kind};
  return cudaSuccess;
}

static cudaError_t make_from_array(struct cudaGraphNodeParams *params, void *to, size_t pitch, cudaArray_const_t array,
                                   size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  struct cudaPitchedPtr target = {to, pitch, width, height};
  if (!in_elements(array, &x, &width))
    return cudaErrorInvalidValue;
  params->type = cudaGraphNodeTypeMemcpy;
  params->memcpy.copyParams = (struct cudaMemcpy3DParms){.srcArray = (cudaArray_t)array,
                                                         .srcPos = {x, y, 0},
                                                         .dstPtr = target,
                                                         .extent = {width, height, 1},
                                                         .kind = kind};
  return cudaSuccess;
}

STREAM(cudaMemcpyAsync, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
       NODE(make_copy(&params, to, from, size, kind)), (to, from, size, kind, stream))
PLAIN(cudaMemcpyPeerAsync,
      (void *to, int to_device, const void *from, int from_device, size_t size, cudaStream_t stream),
      if (to_device == 0 && from_device == 0) NODE(make_copy(&params, to, from, size, cudaMemcpyDeviceToDevice)),
      (to, to_device, from, from_device, size, stream))
STREAM(cudaMemcpy2DAsync,
       (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
        enum cudaMemcpyKind kind, cudaStream_t stream),
       NODE(make_plane(&params, to, to_pitch, from, from_pitch, width, height, kind)),
       (to, to_pitch, from, from_pitch, width, height, kind, stream))
STREAM(cudaMemcpy2DToArrayAsync,
       (cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
        enum cudaMemcpyKind kind, cudaStream_t stream),
       NODE(make_to_array(&params, array, x, y, from, pitch, width, height, kind)),
       (array, x, y, from, pitch, width, height, kind, stream))
STREAM(cudaMemcpy2DFromArrayAsync,
       (void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height,
        enum cudaMemcpyKind kind, cudaStream_t stream),
       NODE(make_from_array(&params, to, pitch, array, x, y, width, height, kind)),
       (to, pitch, array, x, y, width, height, kind, stream))
STREAM(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *copy, cudaStream_t stream), NODE(make_box(&params, copy)),
       (copy, stream))
STREAM(cudaMemcpyToSymbolAsync,
       (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind,
        cudaStream_t stream),
       NODE(gasan_cpu_work_to_symbol(&params, symbol, from, size, offset, kind)),
       (symbol, from, size, offset, kind, stream))
STREAM(cudaMemcpyFromSymbolAsync,
       (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream),
       NODE(gasan_cpu_work_from_symbol(&params, to, symbol, size, offset, kind)),
       (to, symbol, size, offset, kind, stream))

static cudaError_t make_set(struct cudaGraphNodeParams *params, void *to, size_t pitch, int value, size_t width,
                            size_t height) {
  params->type = cudaGraphNodeTypeMemset;
  params->memset = (struct cudaMemsetParamsV2){to, pitch, (unsigned char)value, 1, width, height};
  return cudaSuccess;
}

/* Makes the parameters of a set of a box. Adjacent slices are rows of one plane; other slices are not supported. */
static cudaError_t make_set_box(struct cudaGraphNodeParams *params, struct cudaPitchedPtr to, int value,
                                struct cudaExtent extent) {
  if (extent.depth > 1 && extent.height != to.ysize)
    return cudaErrorNotSupported;
  return make_set(params, to.ptr, to.pitch, value, extent.width, extent.height * extent.depth);
}

STREAM(cudaMemsetAsync, (void *to, int value, size_t size, cudaStream_t stream),
       NODE(make_set(&params, to, size, value, size, 1)), (to, value, size, stream))
STREAM(cudaMemset2DAsync, (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
       NODE(make_set(&params, to, pitch, value, width, height)), (to, pitch, value, width, height, stream))
STREAM(cudaMemset3DAsync, (struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream),
       NODE(make_set_box(&params, to, value, extent)), (to, value, extent, stream))

STREAM(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data),
       NODE((params.type = cudaGraphNodeTypeHost, params.host.fn = function, params.host.userData = data, cudaSuccess)),
       (stream, function, data))

STREAM(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), NODE(cudaErrorStreamCaptureUnsupported),
       (exec, stream))

/* Memory. Stream-ordered allocations and frees become nodes. Any free may free the memory of a graph. */
static cudaError_t allocate(void **pointer, size_t size, cudaStream_t stream, bool *over) {
  cudaError_t error;
  struct gasan_cpu_lane *lane = gasan_cpu_capture_enter(stream, &error);
  *over = lane || error != cudaSuccess;
  if (!lane)
    return error;
  struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemAlloc};
  params.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  params.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  params.alloc.bytesize = size;
  error = gasan_cpu_capture_add(lane, pointer ? cudaSuccess : cudaErrorInvalidValue, &params, NULL, 0);
  if (pointer && error == cudaSuccess)
    *pointer = params.alloc.dptr;
  return error;
}

#define ALLOCATION                                                                                                     \
  bool over;                                                                                                           \
  cudaError_t error = allocate(pointer, size, stream, &over);                                                          \
  if (over)                                                                                                            \
  return error
STREAM(cudaMallocAsync, (void **pointer, size_t size, cudaStream_t stream), ALLOCATION, (pointer, size, stream))
STREAM(cudaMallocFromPoolAsync, (void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream), ALLOCATION,
       (pointer, size, pool, stream))

#define FREE_GRAPH_MEMORY                                                                                              \
  cudaError_t error;                                                                                                   \
  if (pointer && gasan_cpu_graph_memory_end(pointer, &error))                                                          \
  return error
STREAM(cudaFreeAsync, (void *pointer, cudaStream_t stream),
       NODE((params.type = cudaGraphNodeTypeMemFree, params.free.dptr = pointer, cudaSuccess));
       FREE_GRAPH_MEMORY, (pointer, stream))
PLAIN(cudaFree, (void *pointer), FREE_GRAPH_MEMORY, (pointer))

/* Events */
STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), cudaError_t error;
       if (flags & cudaEventRecordExternal)
           NODE((params.type = cudaGraphNodeTypeEventRecord, params.eventRecord.event = event, cudaSuccess));
       struct gasan_cpu_lane *lane = gasan_cpu_capture_enter(stream, &error); if (error != cudaSuccess) return error;
       if (lane) return gasan_cpu_handle_valid(event, GASAN_CPU_HANDLE_EVENT)
           ? gasan_cpu_capture_record(lane, event)
           : gasan_cpu_capture_leave(cudaErrorInvalidResourceHandle);
       gasan_cpu_capture_forget_event(event), (event, stream, flags))

cudaError_t gasan_cpu_captured_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return gasan_cpu_captured_cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t gasan_cpu_captured_cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return gasan_cpu_captured_cudaEventRecord(event, per_thread(stream));
}

STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), cudaError_t error;
       if (gasan_cpu_handle_valid(event, GASAN_CPU_HANDLE_EVENT) && gasan_cpu_stream_valid(stream) &&
           gasan_cpu_capture_waits(stream, event, flags &cudaEventWaitExternal, &error)) return error,
       (stream, event, flags))

#define NOT_CAPTURED(event)                                                                                            \
  if (gasan_cpu_capture_has_event(event))                                                                              \
  return gasan_cpu_result(cudaErrorCapturedEvent)
PLAIN(cudaEventQuery, (cudaEvent_t event), NOT_CAPTURED(event), (event))
PLAIN(cudaEventSynchronize, (cudaEvent_t event), NOT_CAPTURED(event), (event))
PLAIN(cudaEventElapsedTime, (float *milliseconds, cudaEvent_t start, cudaEvent_t end), NOT_CAPTURED(start);
      NOT_CAPTURED(end), (milliseconds, start, end))
PLAIN(cudaEventDestroy, (cudaEvent_t event), gasan_cpu_capture_forget_event(event), (event))

/* Calls that wait for a stream */
STREAM(cudaStreamSynchronize, (cudaStream_t stream), FORBID(stream(stream)), (stream))
STREAM(cudaStreamQuery, (cudaStream_t stream), FORBID(stream(stream)), (stream))
STREAM(cudaStreamAddCallback, (cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags),
       FORBID(stream(stream)), (stream, callback, data, flags))
STREAM(cudaStreamAttachMemAsync, (cudaStream_t stream, void *pointer, size_t size, unsigned flags),
       FORBID(stream(stream)), (stream, pointer, size, flags))
STREAM(cudaMemPrefetchAsync,
       (const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags, cudaStream_t stream),
       FORBID(stream(stream)), (pointer, size, location, flags, stream))
STREAM(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *copy, cudaStream_t stream), FORBID(stream(stream)),
       (copy, stream))
STREAM(cudaMemcpyToArrayAsync,
       (cudaArray_t array, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind,
        cudaStream_t stream),
       FORBID(stream(stream)), (array, x, y, from, size, kind, stream))
STREAM(cudaMemcpyFromArrayAsync,
       (void *to, cudaArray_const_t array, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind,
        cudaStream_t stream),
       FORBID(stream(stream)), (to, array, x, y, size, kind, stream))
STREAM(cudaMemcpyBatchAsync,
       (void *const *to, const void *const *from, const size_t *sizes, size_t count,
        struct cudaMemcpyAttributes *attributes, size_t *first_copies, size_t attribute_count, cudaStream_t stream),
       FORBID(stream(stream)), (to, from, sizes, count, attributes, first_copies, attribute_count, stream))
STREAM(cudaMemcpy3DBatchAsync,
       (size_t count, struct cudaMemcpy3DBatchOp *copies, unsigned long long flags, cudaStream_t stream),
       FORBID(stream(stream)), (count, copies, flags, stream))
STREAM(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream), FORBID(stream(stream)), (exec, stream))
PLAIN(cudaStreamDestroy, (cudaStream_t stream), gasan_cpu_capture_forget_stream(stream), (stream))
PLAIN(cudaDeviceSynchronize, (void), FORBID(device()), ())

PLAIN(cudaMalloc, (void **pointer, size_t size), UNSAFE, (pointer, size))
PLAIN(cudaMallocPitch, (void **pointer, size_t *pitch, size_t width, size_t height), UNSAFE,
      (pointer, pitch, width, height))
PLAIN(cudaMalloc3D, (struct cudaPitchedPtr * pitched, struct cudaExtent extent), UNSAFE, (pitched, extent))
PLAIN(cudaMallocHost, (void **pointer, size_t size), UNSAFE, (pointer, size))
PLAIN(cudaHostAlloc, (void **pointer, size_t size, unsigned flags), UNSAFE, (pointer, size, flags))
PLAIN(cudaMallocManaged, (void **pointer, size_t size, unsigned flags), UNSAFE, (pointer, size, flags))
PLAIN(cudaMallocArray,
      (cudaArray_t * array, const struct cudaChannelFormatDesc *format, size_t width, size_t height, unsigned flags),
      UNSAFE, (array, format, width, height, flags))
PLAIN(cudaMalloc3DArray,
      (cudaArray_t * array, const struct cudaChannelFormatDesc *format, struct cudaExtent extent, unsigned flags),
      UNSAFE, (array, format, extent, flags))

WAITING(cudaMemcpy2DToArray,
        (cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        (array, x, y, from, pitch, width, height, kind))
WAITING(cudaMemcpy2DFromArray,
        (void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        (to, pitch, array, x, y, width, height, kind))
WAITING(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind), (to, from, size, kind))
WAITING(cudaMemcpy2D,
        (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        (to, to_pitch, from, from_pitch, width, height, kind))
WAITING(cudaMemcpy3D, (const struct cudaMemcpy3DParms *copy), (copy))
WAITING(cudaMemcpyToSymbol,
        (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind),
        (symbol, from, size, offset, kind))
WAITING(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind),
        (to, symbol, size, offset, kind))
WAITING(cudaMemset, (void *to, int value, size_t size), (to, value, size))
WAITING(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
        (to, pitch, value, width, height))
WAITING(cudaMemset3D, (struct cudaPitchedPtr to, int value, struct cudaExtent extent), (to, value, extent))

/* The calls of capture itself. Only their per-thread variants differ from api.inc. */
STREAM(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), , (stream, mode))
STREAM(cudaStreamBeginCaptureToGraph,
       (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data,
        size_t count, enum cudaStreamCaptureMode mode),
       , (stream, graph, nodes, data, count, mode))
STREAM(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), , (stream, graph))
STREAM(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status), , (stream, status))
STREAM(cudaStreamGetCaptureInfo,
       (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
        const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data, size_t *count),
       , (stream, status, id, graph, nodes, data, count))
STREAM(cudaStreamUpdateCaptureDependencies,
       (cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t count, unsigned flags), ,
       (stream, nodes, data, count, flags))
