/* Streams and host functions. Work is done in the order of the calls, so streams only have to be told apart. */
#include <stdatomic.h>

#include "device/cpu/api.h"
#include "device/cpu/handles.h"

struct stream {
  unsigned flags;
  int priority;
  unsigned long long id;
};

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

/* Another thread's kernel may run. */
static cudaError_t wait_for_device(void) {
  gasan_cpu_device_lock();
  gasan_cpu_device_unlock();
  return gasan_cpu_synchronize();
}

cudaError_t gasan_cpu_cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  static _Atomic unsigned long long ids = 2; /* 0 to 2: the default streams */
  if (!stream || flags & ~(unsigned)cudaStreamNonBlocking)
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  struct stream *made = gasan_cpu_handle_new(sizeof *made, GASAN_CPU_HANDLE_STREAM);
  if (!made)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  made->flags = flags;
  made->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  made->id = atomic_fetch_add(&ids, 1) + 1;
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
    *least = 0;
  if (greatest)
    *greatest = -5;
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  cudaError_t error = priority ? gasan_cpu_check_stream(stream) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error == cudaSuccess)
    *priority = is_default_stream(stream) ? 0 : ((struct stream *)stream)->priority;
  return error;
}

cudaError_t gasan_cpu_cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  cudaError_t error = flags ? gasan_cpu_check_stream(stream) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error == cudaSuccess)
    *flags = is_default_stream(stream) ? cudaStreamDefault : ((struct stream *)stream)->flags;
  return error;
}

cudaError_t gasan_cpu_cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  cudaError_t error = id ? gasan_cpu_check_stream(stream) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error == cudaSuccess)
    *id = is_default_stream(stream) ? (uintptr_t)stream : ((struct stream *)stream)->id;
  return error;
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
  if (gasan_cpu_launch_running()) /* CUDA does not count this one as a failed call */
    return cudaErrorNotReady;
  return gasan_cpu_synchronize();
}

cudaError_t gasan_cpu_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (!gasan_cpu_handle_valid(event, GASAN_CPU_HANDLE_EVENT))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  return gasan_cpu_check_stream(stream);
}

cudaError_t gasan_cpu_cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t size, unsigned flags) {
  if (!pointer)
    return gasan_cpu_result(cudaErrorInvalidValue);
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

/* Unlike a host function, a callback is called after an error too, and told of it. */
cudaError_t gasan_cpu_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                            unsigned flags) {
  if (!callback || flags)
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = gasan_cpu_check_stream(stream);
  if (error == cudaSuccess)
    callback(stream, (cudaError_t)gasan_cpu_device_error(), data);
  return error;
}
