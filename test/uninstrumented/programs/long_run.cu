/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Thousands of short kernels, allocations and frees in three threads: canaries are compared between them all the time.
#include <cstdio>
#include <thread>
#include <vector>
__global__ void add(int *to, int count, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] += value;
}
static long sums[3];
static void work(int number) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int round = 0; round < 400; round++) {
    int count = 1 + (round * 37 + number * 11) % 5000, *memory, last;
    if (round % 3)
      cudaMallocAsync(&memory, count * sizeof *memory, stream);
    else
      cudaMalloc(&memory, count * sizeof *memory);
    cudaMemsetAsync(memory, 0, count * sizeof *memory, stream);
    for (int i = 0; i < 10; i++)
      add<<<(count + 127) / 128, 128, 0, stream>>>(memory, count, i);
    cudaMemcpyAsync(&last, memory + count - 1, sizeof last, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    sums[number] += last;
    if (round % 3)
      cudaFreeAsync(memory, stream);
    else
      cudaFree(memory);
  }
  cudaStreamDestroy(stream);
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  printf("%ld %ld %ld %s\n", sums[0], sums[1], sums[2], cudaGetErrorName(cudaDeviceSynchronize()));
}
