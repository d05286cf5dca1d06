/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams and host functions. Work is done in the order of the calls, so a stream is little more than a handle. */
#include <stdatomic.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/handles.h"

struct stream {
  unsigned flags;
  int priority;
  unsigned long long id;
  /* Only stored. */
  struct cudaAccessPolicyWindow access_policy;
  enum cudaSynchronizationPolicy synchronization;
  cudaLaunchMemSyncDomainMap domain_map;
  cudaLaunchMemSyncDomain domain;
};

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };
enum { LEGACY_ID = 1 }; /* each thread's own default stream has an id like other streams */
static _Atomic unsigned long long last_id = LEGACY_ID;
static struct stream legacy = {.id = LEGACY_ID, .synchronization = cudaSyncPolicyAuto};
static __thread struct stream per_thread = {.synchronization = cudaSyncPolicyAuto};

static bool is_default_stream(cudaStream_t stream) {
  return stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

bool gasan_cpu_stream_valid(cudaStream_t stream) {
  return is_default_stream(stream) || gasan_cpu_handle_valid(stream, GASAN_CPU_HANDLE_STREAM);
}

cudaError_t gasan_cpu_check_stream(cudaStream_t stream) {
  if (!gasan_cpu_stream_valid(stream))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  return gasan_cpu_check();
}

/* Returns the stream of a valid handle. */
static struct stream *stream_of(cudaStream_t stream) {
  if (stream == cudaStreamPerThread && !per_thread.id)
    per_thread.id = atomic_fetch_add(&last_id, 1) + 1;
  return stream == cudaStreamPerThread ? &per_thread : is_default_stream(stream) ? &legacy : (struct stream *)stream;
}

/* Waits for kernels that other threads have launched. Returns the device's error. */
static cudaError_t wait_for_device(void) {
  gasan_cpu_device_lock();
  gasan_cpu_device_unlock();
  return gasan_cpu_synchronize();
}

static int clamp_priority(int priority) {
  return priority > LEAST_PRIORITY ? LEAST_PRIORITY : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
}

cudaError_t gasan_cpu_cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  if (!stream || flags & ~(unsigned)cudaStreamNonBlocking)
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  struct stream *made = gasan_cpu_handle_new(sizeof *made, GASAN_CPU_HANDLE_STREAM);
  if (!made)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  made->flags = flags;
  made->priority = clamp_priority(priority);
  made->id = atomic_fetch_add(&last_id, 1) + 1;
  made->synchronization = cudaSyncPolicyAuto;
  *stream = (cudaStream_t)made;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return gasan_cpu_cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t gasan_cpu_cudaStreamCreate(cudaStream_t *stream) {
  return gasan_cpu_cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t gasan_cpu_cudaStreamDestroy(cudaStream_t stream) {
  if (is_default_stream(stream) || !gasan_cpu_handle_free(stream, GASAN_CPU_HANDLE_STREAM))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = LEAST_PRIORITY;
  if (greatest)
    *greatest = GREATEST_PRIORITY;
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  cudaError_t error = priority ? gasan_cpu_check_stream(stream) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error == cudaSuccess)
    *priority = stream_of(stream)->priority;
  return error;
}

cudaError_t gasan_cpu_cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  cudaError_t error = flags ? gasan_cpu_check_stream(stream) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error == cudaSuccess)
    *flags = stream_of(stream)->flags;
  return error;
}

cudaError_t gasan_cpu_cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  cudaError_t error = id ? gasan_cpu_check_stream(stream) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error == cudaSuccess)
    *id = stream_of(stream)->id;
  return error;
}

cudaError_t gasan_cpu_cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                             const cudaStreamAttrValue *value) {
  cudaError_t error = value ? gasan_cpu_check_stream(handle) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error != cudaSuccess)
    return error;
  struct stream *stream = stream_of(handle);
  switch (attribute) {
  case cudaLaunchAttributeAccessPolicyWindow:
    stream->access_policy = value->accessPolicyWindow;
    return cudaSuccess;
  case cudaLaunchAttributeSynchronizationPolicy:
    if (value->syncPolicy < cudaSyncPolicyAuto || value->syncPolicy > cudaSyncPolicyBlockingSync)
      return gasan_cpu_result(cudaErrorInvalidValue);
    stream->synchronization = value->syncPolicy;
    return cudaSuccess;
  case cudaLaunchAttributePriority:
    stream->priority = clamp_priority(value->priority);
    return cudaSuccess;
  case cudaLaunchAttributeMemSyncDomainMap:
    stream->domain_map = value->memSyncDomainMap;
    return cudaSuccess;
  case cudaLaunchAttributeMemSyncDomain:
    stream->domain = value->memSyncDomain;
    return cudaSuccess;
  default:
    return gasan_cpu_result(cudaErrorInvalidValue);
  }
}

cudaError_t gasan_cpu_cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                             cudaStreamAttrValue *value) {
  cudaError_t error = value ? gasan_cpu_check_stream(handle) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error != cudaSuccess)
    return error;
  const struct stream *stream = stream_of(handle);
  memset(value, 0, sizeof *value);
  switch (attribute) {
  case cudaLaunchAttributeAccessPolicyWindow:
    value->accessPolicyWindow = stream->access_policy;
    return cudaSuccess;
  case cudaLaunchAttributeSynchronizationPolicy:
    value->syncPolicy = stream->synchronization;
    return cudaSuccess;
  case cudaLaunchAttributePriority:
    value->priority = stream->priority;
    return cudaSuccess;
  case cudaLaunchAttributeMemSyncDomainMap:
    value->memSyncDomainMap = stream->domain_map;
    return cudaSuccess;
  case cudaLaunchAttributeMemSyncDomain:
    value->memSyncDomain = stream->domain;
    return cudaSuccess;
  default:
    return gasan_cpu_result(cudaErrorInvalidValue);
  }
}

cudaError_t gasan_cpu_cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  cudaError_t error = gasan_cpu_check_stream(to);
  if (error == cudaSuccess)
    error = gasan_cpu_check_stream(from);
  if (error != cudaSuccess)
    return error;
  struct stream *target = stream_of(to), copy = *stream_of(from);
  copy.flags = target->flags;
  copy.id = target->id;
  *target = copy;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaStreamGetDevice(cudaStream_t stream, int *device) {
  cudaError_t error = device ? gasan_cpu_check_stream(stream) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error == cudaSuccess)
    *device = 0;
  return error;
}

cudaError_t gasan_cpu_cudaStreamSynchronize(cudaStream_t stream) {
  cudaError_t error = gasan_cpu_check_stream(stream);
  return error == cudaSuccess ? wait_for_device() : error;
}

cudaError_t gasan_cpu_cudaStreamQuery(cudaStream_t stream) {
  cudaError_t error = gasan_cpu_check_stream(stream);
  if (error != cudaSuccess)
    return error;
  if (gasan_cpu_launch_running_in(stream)) /* CUDA does not note this error as the last error */
    return cudaErrorNotReady;
  return gasan_cpu_synchronize();
}

cudaError_t gasan_cpu_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (!gasan_cpu_handle_valid(event, GASAN_CPU_HANDLE_EVENT))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  return gasan_cpu_check_stream(stream);
}

cudaError_t gasan_cpu_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  if (!function)
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = gasan_cpu_check_stream(stream);
  if (error == cudaSuccess && !gasan_cpu_device_failed())
    function(data);
  return error;
}

/* Unlike a host function, a callback runs also after an error, and gets that error as an argument. */
cudaError_t gasan_cpu_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                            unsigned flags) {
  if (!callback || flags)
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = gasan_cpu_check_stream(stream);
  if (error == cudaSuccess)
    callback(stream, (cudaError_t)gasan_cpu_device_error(), data);
  return error;
}
