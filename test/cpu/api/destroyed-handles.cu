// Destroyed or invalid handles are errors of the call and never crash. CUDA does not define the errors; the CPU device
// returns cudaErrorInvalidResourceHandle for streams and events, and cudaErrorInvalidValue for pools.
// REQUIRES: cpu
// RUN: %gasan -O1 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void nothing() {}

static int checked;
static void bad(cudaError_t error, cudaError_t expected, const char *what) {
  EXPECT(error == expected, "%s: %s", what, cudaGetErrorName(error));
  EXPECT(cudaGetLastError() == expected, "%s is noted", what);
  ++checked;
}
#define HANDLE(call) bad(call, cudaErrorInvalidResourceHandle, #call)

static void useStream(cudaStream_t stream, cudaEvent_t good_event) {
  int value;
  unsigned flags;
  unsigned long long id;
  char host[4] = {};
  void *pointer;
  cudaStreamAttrValue attribute = {};
  HANDLE(cudaStreamSynchronize(stream));
  HANDLE(cudaStreamQuery(stream));
  HANDLE(cudaStreamGetFlags(stream, &flags));
  HANDLE(cudaStreamGetPriority(stream, &value));
  HANDLE(cudaStreamGetId(stream, &id));
  HANDLE(cudaStreamWaitEvent(stream, good_event));
  HANDLE(cudaStreamSetAttribute(stream, cudaStreamAttributePriority, &attribute));
  HANDLE(cudaStreamCopyAttributes(stream, nullptr));
  HANDLE(cudaEventRecord(good_event, stream));
  HANDLE(cudaLaunchHostFunc(stream, [](void *) { abort(); }, nullptr));
  HANDLE(cudaMemcpyAsync(host, host, 4, cudaMemcpyDefault, stream));
  HANDLE(cudaMemsetAsync(host, 0, 4, stream));
  HANDLE(cudaMallocAsync(&pointer, 4, stream));
  nothing<<<1, 1, 0, stream>>>();
  bad(cudaPeekAtLastError(), cudaErrorInvalidResourceHandle, "launch");
  HANDLE(cudaStreamDestroy(stream));
}

static void useEvent(cudaEvent_t event, cudaEvent_t good_event) {
  float milliseconds;
  HANDLE(cudaEventRecord(event));
  HANDLE(cudaEventQuery(event));
  HANDLE(cudaEventSynchronize(event));
  HANDLE(cudaStreamWaitEvent(nullptr, event));
  HANDLE(cudaEventElapsedTime(&milliseconds, good_event, event));
  HANDLE(cudaEventElapsedTime(&milliseconds, event, good_event));
  HANDLE(cudaEventDestroy(event));
}

int main() {
  cudaStream_t stream;
  cudaEvent_t event, good_event;
  CUDA(cudaEventCreate(&good_event));
  CUDA(cudaEventRecord(good_event));
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaEventCreate(&event));
  useStream((cudaStream_t)event, good_event); // a handle of another kind
  useEvent((cudaEvent_t)stream, good_event);
  useEvent(nullptr, good_event);
  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaEventDestroy(event));
  useStream(stream, good_event);
  useEvent(event, good_event);
  useStream((cudaStream_t)(uintptr_t)0xdeadbeef0, good_event); // an address without memory
  useEvent((cudaEvent_t)(uintptr_t)0xdeadbeef0, good_event);
  HANDLE(cudaStreamDestroy(nullptr));

  cudaMemPool_t pool;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, 0};
  CUDA(cudaMemPoolCreate(&pool, &props));
  CUDA(cudaMemPoolDestroy(pool));
  void *pointer;
  bad(cudaMemPoolDestroy(pool), cudaErrorInvalidValue, "pool destroyed twice");
  bad(cudaMemPoolTrimTo(pool, 0), cudaErrorInvalidValue, "pool trimmed");
  bad(cudaMallocFromPoolAsync(&pointer, 4, pool, nullptr), cudaErrorInvalidValue, "pool used");
  bad(cudaMemPoolDestroy((cudaMemPool_t)good_event), cudaErrorInvalidValue, "an event is no pool");
  CUDA(cudaEventDestroy(good_event));
  CUDA(cudaDeviceSynchronize());
  printf("%d checked\n", checked);
  return passed();
}
