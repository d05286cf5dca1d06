/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events. When an event is recorded, all earlier work of its stream is complete. */
#include <stdatomic.h>
#include <time.h>

#include "device/cpu/api.h"
#include "device/cpu/handles.h"

struct event {
  unsigned flags;
  _Atomic uint64_t recorded_at; /* nanoseconds; 0: not recorded */
};

static bool valid(cudaEvent_t event) {
  return gasan_cpu_handle_valid(event, GASAN_CPU_HANDLE_EVENT);
}

cudaError_t gasan_cpu_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (!event || flags & ~known || (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming)))
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  struct event *made = gasan_cpu_handle_new(sizeof *made, GASAN_CPU_HANDLE_EVENT);
  if (!made)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  made->flags = flags;
  *event = (cudaEvent_t)made;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaEventCreate(cudaEvent_t *event) {
  return gasan_cpu_cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t gasan_cpu_cudaEventDestroy(cudaEvent_t event) {
  if (!gasan_cpu_handle_free(event, GASAN_CPU_HANDLE_EVENT))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  return gasan_cpu_check();
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

cudaError_t gasan_cpu_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (!valid(event))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  if (flags & ~(unsigned)cudaEventRecordExternal)
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = gasan_cpu_check_stream(stream);
  if (error == cudaSuccess)
    atomic_store(&((struct event *)event)->recorded_at, now());
  return error;
}

cudaError_t gasan_cpu_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return gasan_cpu_cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t gasan_cpu_cudaEventQuery(cudaEvent_t event) {
  if (!valid(event))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  return gasan_cpu_synchronize();
}

cudaError_t gasan_cpu_cudaEventSynchronize(cudaEvent_t event) {
  return gasan_cpu_cudaEventQuery(event);
}

cudaError_t gasan_cpu_cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (!valid(start) || !valid(end))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  struct event *first = (struct event *)start, *last = (struct event *)end;
  uint64_t from = atomic_load(&first->recorded_at), to = atomic_load(&last->recorded_at);
  if ((first->flags | last->flags) & cudaEventDisableTiming || !from || !to)
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  cudaError_t error = gasan_cpu_synchronize();
  if (error == cudaSuccess)
    *milliseconds = (float)((double)(int64_t)(to - from) * 1e-6);
  return error;
}
