// A kernel's error is sticky: the next waiting call returns it, later calls fail with it, cudaGetLastError does not
// clear it, and other threads get it. Each error has its own process.
// RUN: %gasan -O1 %s -o %t -pthread
// RUN: %options=halt_on_error=0 not %run %t address | %same
// RUN: %run %t assert
// RUN: %run %t trap
#include "../inputs/self_check.h"
#include <cassert>
#include <thread>

// Without a check, so that the null access is not reported.
__attribute__((no_sanitize("address"))) __global__ void fail(int how, int *null) {
  if (how == 0)
    *null = 1;
  if (how == 1)
    assert(null != nullptr);
  if (how == 2)
    __trap();
}
__global__ void nothing() {}
__global__ void setTo(int *value, int to) {
  *value = to;
}

int main(int count, char **arguments) {
  int how = count < 2 || !strcmp(arguments[1], "address") ? 0 : !strcmp(arguments[1], "assert") ? 1 : 2;
  int *value, host = 0;
  cudaStream_t stream;
  CUDA(cudaMalloc(&value, sizeof *value));
  CUDA(cudaStreamCreate(&stream));
  setTo<<<1, 1>>>(value, 42);
  CUDA(cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost));
  fail<<<1, 1>>>(how, nullptr);
  cudaError_t error = cudaDeviceSynchronize();
  if (how == 0)
    EXPECT(error == cudaErrorIllegalAddress, "%s", cudaGetErrorName(error));
  if (how == 1)
    EXPECT(error == cudaErrorAssert, "%s", cudaGetErrorName(error));
  if (how == 2) // for __trap, CUDA returns an unspecified launch failure or an illegal instruction
    EXPECT(error == cudaErrorLaunchFailure || error == cudaErrorIllegalInstruction, "%s", cudaGetErrorName(error));
  EXPECT(cudaGetLastError() == error, "noted");
  EXPECT(cudaDeviceSynchronize() == error, "again");
  EXPECT(cudaStreamSynchronize(stream) == error, "in another stream");
  EXPECT(cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost) == error, "a copy");
  EXPECT(cudaMemset(value, 0, 4) != cudaSuccess, "a fill");
  void *more;
  EXPECT(cudaMalloc(&more, 1 << 20) == error, "an allocation: %s", cudaGetErrorName(cudaPeekAtLastError()));
  EXPECT(cudaFree(value) == error, "a free");
  nothing<<<1, 1>>>();
  EXPECT(cudaPeekAtLastError() == error, "a launch");
  std::thread other([&] { EXPECT(cudaDeviceSynchronize() == error, "another thread"); });
  other.join();
  EXPECT(cudaDeviceSynchronize() == error, "for ever");
  EXPECT(host == 42, "%d", host);
  printf("%s\n", how == 0 ? cudaGetErrorName(error) : "sticky");
  return passed();
}
