// The error state of a host thread: success does not clear it, cudaGetLastError does, cudaPeekAtLastError does not.
// cudaErrorNotReady is not stored. Every error has a name and a text.
// RUN: %gasan -O1 %s -o %t -pthread
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <thread>

__global__ void nothing() {}

int main() {
  EXPECT(cudaGetLastError() == cudaSuccess, "at first");
  EXPECT(cudaSetDevice(1000) == cudaErrorInvalidDevice, "no such device");
  CUDA(cudaSetDevice(0)); // success does not clear the error
  int *memory;
  CUDA(cudaMalloc(&memory, 16));
  nothing<<<1, 1>>>();
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice, "still there");
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice, "peeking changes nothing");
  EXPECT(cudaMemcpy(memory, memory, 4, (cudaMemcpyKind)42) == cudaErrorInvalidMemcpyDirection, "direction");
  EXPECT(cudaGetLastError() == cudaErrorInvalidMemcpyDirection, "the later one");
  EXPECT(cudaGetLastError() == cudaSuccess, "cleared");
  void *huge = memory;
  EXPECT(cudaMalloc(&huge, 1ull << 55) == cudaErrorMemoryAllocation, "too much");
  std::thread other([] {
    EXPECT(cudaGetLastError() == cudaSuccess, "another thread's error");
    EXPECT(cudaStreamCreateWithFlags(nullptr, 0) == cudaErrorInvalidValue, "no place for the stream");
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue, "its own");
  });
  other.join();
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation, "this thread's");
  CUDA(cudaDeviceSynchronize()); // none of these was sticky
  CUDA(cudaMemset(memory, 0, 16));

  cudaEvent_t event;
  CUDA(cudaEventCreate(&event));
  nothing<<<1000, 128>>>();
  CUDA(cudaEventRecord(event));
  cudaError_t state;
  do
    state = cudaEventQuery(event);
  while (state == cudaErrorNotReady);
  EXPECT(state == cudaSuccess && cudaGetLastError() == cudaSuccess, "not ready is no error");
  CUDA(cudaEventDestroy(event));

  static const struct {
    cudaError_t error;
    const char *name;
  } names[] = {{cudaSuccess, "cudaSuccess"},
               {cudaErrorInvalidValue, "cudaErrorInvalidValue"},
               {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation"},
               {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration"},
               {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol"},
               {cudaErrorInvalidDevice, "cudaErrorInvalidDevice"},
               {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle"},
               {cudaErrorNotReady, "cudaErrorNotReady"},
               {cudaErrorIllegalAddress, "cudaErrorIllegalAddress"},
               {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources"},
               {cudaErrorAssert, "cudaErrorAssert"},
               {cudaErrorLaunchFailure, "cudaErrorLaunchFailure"},
               {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge"},
               {cudaErrorNotSupported, "cudaErrorNotSupported"},
               {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported"},
               {cudaErrorUnknown, "cudaErrorUnknown"}};
  for (auto &row : names) {
    EXPECT(!strcmp(cudaGetErrorName(row.error), row.name), "%d: %s", row.error, cudaGetErrorName(row.error));
    EXPECT(strlen(cudaGetErrorString(row.error)) > 4, "%s: %s", row.name, cudaGetErrorString(row.error));
  }
  EXPECT(!strcmp(cudaGetErrorString((cudaError_t)54321), "unrecognized error code"), "unknown numbers");
  int codes = 0;
  for (int code = 0; code < 1000; ++code)
    codes += !strncmp(cudaGetErrorName((cudaError_t)code), "cuda", 4);
  EXPECT(codes >= 130, "%d", codes);
  CUDA(cudaFree(memory));
  puts("done");
  return passed();
}
