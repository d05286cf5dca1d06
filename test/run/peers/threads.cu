// REQUIRES: two-devices
// Each host thread has its own current device. All threads allocate, launch and free at once.
// RUN: %gasan -O2 %s -o %t -pthread
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t.bst -pthread
// RUN: %run %t.bst 2>&1 >/dev/null | %silent
#include <atomic>
#include <thread>
#include <vector>

__global__ void fill(int *values, int count, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = first + i;
}

static std::atomic<int> wrong{0};

static void work(int thread) {
  int device = thread % 2, current = -1;
  cudaStream_t stream;
  cudaSetDevice(device);
  cudaStreamCreate(&stream);
  for (int round = 0; round < 100; round++) {
    int count = 100 + 977 * round, *values = nullptr, last = -1;
    if (cudaMalloc(&values, count * sizeof(int)) != cudaSuccess)
      wrong++;
    fill<<<(count + 255) / 256, 256, 0, stream>>>(values, count, thread);
    if (cudaStreamSynchronize(stream) != cudaSuccess ||
        cudaMemcpy(&last, values + count - 1, sizeof last, cudaMemcpyDeviceToHost) != cudaSuccess ||
        last != thread + count - 1)
      wrong++;
    if (cudaFree(values) != cudaSuccess)
      wrong++;
  }
  if (cudaGetDevice(&current) != cudaSuccess || current != device || cudaStreamDestroy(stream) != cudaSuccess)
    wrong++;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  return wrong != 0;
}
