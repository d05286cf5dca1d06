// -fgpu-default-stream=per-thread: each host thread has its own default stream, and calls without a stream use it.
// RUN: %gasan -O2 -fgpu-default-stream=per-thread %s -o %t -pthread
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <thread>

__global__ void step(unsigned *values, int count, unsigned addend) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = values[i] * 17 + addend;
}

__constant__ unsigned constants[8];

static const int count = 3000;

static void work(int thread, std::vector<unsigned> *result) {
  unsigned *values;
  std::vector<unsigned> in(count), out(count);
  for (int i = 0; i < count; ++i)
    in[i] = unsigned(i) + 1000u * thread;
  CUDA(cudaMalloc(&values, count * sizeof(unsigned)));
  CUDA(cudaMemcpy(values, in.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
  for (int round = 0; round < 20; ++round)
    step<<<(count + 127) / 128, 128>>>(values, count, unsigned(round + thread));
  step<<<(count + 127) / 128, 128, 0, cudaStreamPerThread>>>(values, count, 5); // the same stream by its handle
  CUDA(cudaMemsetAsync(values, 0x11, 16));
  CUDA(cudaMemcpyAsync(out.data(), values, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA(cudaStreamSynchronize(0));
  EXPECT(cudaStreamQuery(cudaStreamPerThread) == cudaSuccess, "done");
  for (int i = 0; i < count; ++i) {
    unsigned value = in[i];
    for (int round = 0; round < 20; ++round)
      value = value * 17 + round + thread;
    value = i < 4 ? 0x11111111u : value * 17 + 5;
    EXPECT(out[i] == value, "thread %d: %d", thread, i);
  }
  unsigned part[2] = {unsigned(thread), unsigned(thread) * 3}, back[2];
  if (thread < 4) {
    CUDA(cudaMemcpyToSymbol(constants, part, sizeof part, thread * sizeof part));
    CUDA(cudaMemcpyFromSymbol(back, constants, sizeof back, thread * sizeof part));
    EXPECT(back[0] == part[0] && back[1] == part[1], "symbol");
  }
  cudaEvent_t start, end;
  float milliseconds = -1;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventRecord(start));
  step<<<1, 1>>>(values, 1, 0);
  CUDA(cudaEventRecord(end));
  CUDA(cudaEventSynchronize(end));
  CUDA(cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds >= 0 && milliseconds < 60000, "%g", milliseconds);
  CUDA(cudaEventDestroy(start));
  CUDA(cudaEventDestroy(end));
  CUDA(cudaFree(values));
  *result = out;
}

int main() {
  std::vector<unsigned> results[8];
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back(work, t, &results[t]);
  uint64_t sum = 0;
  for (int t = 0; t < 8; ++t) {
    threads[t].join();
    sum = sum * 5 + checksum(results[t]);
  }
  printf("%016llx\n", (unsigned long long)sum);
  return passed();
}
