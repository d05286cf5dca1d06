// Host threads with their own streams allocate, run kernels and free at the same time, with separate data. One thread
// has a bug, and the report names this thread.
// RUN: %gasan -O2 %s -o %t -lpthread
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=quarantine_size_mb=0 %run %t 2>&1 >/dev/null | %silent
// RUN: not %run %t bug 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-use-after-free
// CHECK: #0 fill(unsigned char*, int, unsigned char) {{.*}}threads.cu:[[#@LINE+10]]:
// CHECK: is located 0 bytes inside of 12345-byte region
// CHECK: freed by host thread T{{[1-8]}} here:
// CHECK: previously allocated by host thread T{{[1-8]}} here:
#include <atomic>
#include <thread>
#include <vector>

__global__ void fill(unsigned char *bytes, int size, unsigned char value) {
  for (int i = threadIdx.x; i < size; i += blockDim.x)
    bytes[i] = value;
}

__global__ void count(const unsigned char *bytes, int size, unsigned char value, int *wrong) {
  for (int i = threadIdx.x; i < size; i += blockDim.x)
    if (bytes[i] != value)
      atomicAdd(wrong, 1);
}

static bool work(unsigned char id, bool bug) {
  cudaStream_t stream;
  int *wrong, result = 1;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) || cudaMalloc(&wrong, sizeof *wrong) ||
      cudaMemset(wrong, 0, sizeof *wrong) || cudaDeviceSynchronize())
    return false;
  unsigned random = id;
  for (int round = 0; round < 40; ++round) {
    random = random * 1664525 + 1013904223;
    int size = 1 + (random >> 8) % (round % 8 ? 5000 : 3000000);
    unsigned char *bytes;
    if (cudaMalloc(&bytes, size) != cudaSuccess)
      return false;
    fill<<<1, 64, 0, stream>>>(bytes, size, id);
    count<<<1, 64, 0, stream>>>(bytes, size, id, wrong);
    if (cudaFree(bytes) != cudaSuccess)
      return false;
  }
  if (bug) {
    unsigned char *bytes;
    cudaMalloc(&bytes, 12345);
    cudaFree(bytes);
    fill<<<1, 1, 0, stream>>>(bytes, 1, id);
  }
  return cudaStreamSynchronize(stream) == cudaSuccess &&
         cudaMemcpy(&result, wrong, sizeof result, cudaMemcpyDeviceToHost) == cudaSuccess && result == 0 &&
         cudaFree(wrong) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess;
}

int main(int count, char **) {
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 1; i <= 8; ++i)
    threads.emplace_back([=, &failed] { failed += !work(i, count > 1 && i == 5); });
  for (std::thread &thread : threads)
    thread.join();
  return failed != 0;
}
