/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Many kinds of calls, all correct.
#include <cstdio>
#include <cstring>
#include <vector>
__global__ void add(float *to, const float *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] += from[i];
}
__device__ float table[256];
__managed__ int counter;
__global__ void count_up() {
  atomicAdd(&counter, 1);
}
int main() {
  const int count = 100000;
  std::vector<float> host(count, 1.5f);
  float *a, *b, *pinned, *managed, *pitched;
  size_t pitch, available, total;
  cudaMalloc(&a, count * sizeof *a);
  cudaMalloc(&b, count * sizeof *b);
  cudaMallocHost(&pinned, count * sizeof *pinned);
  cudaMallocManaged(&managed, count * sizeof *managed);
  cudaMallocPitch(&pitched, &pitch, 300, 20);
  cudaMemGetInfo(&available, &total);
  cudaMemset2D(pitched, pitch, 0, 300, 20);
  cudaStream_t streams[2];
  cudaEvent_t event;
  for (auto &stream : streams)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  std::memcpy(pinned, host.data(), count * sizeof *pinned);
  cudaMemcpyAsync(a, pinned, count * sizeof *a, cudaMemcpyHostToDevice, streams[0]);
  cudaMemcpyAsync(b, a, count * sizeof *a, cudaMemcpyDeviceToDevice, streams[0]);
  for (int i = 0; i < 100; i++)
    add<<<(count + 255) / 256, 256, 0, streams[0]>>>(a, b, count);
  cudaEventRecord(event, streams[0]);
  cudaStreamWaitEvent(streams[1], event);
  cudaMemcpyAsync(managed, a, count * sizeof *a, cudaMemcpyDefault, streams[1]);
  cudaStreamSynchronize(streams[1]);
  cudaMemcpyToSymbol(table, host.data(), sizeof(float) * 256);
  count_up<<<4, 32>>>();
  cudaDeviceSynchronize();
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, a);
  std::vector<void *> small(3000);
  for (auto &pointer : small)
    cudaMalloc(&pointer, 100);
  for (auto pointer : small)
    cudaFree(pointer);
  printf("%g %g %d %d %d %s\n", managed[0], managed[count - 1], counter, attributes.type == cudaMemoryTypeDevice,
         attributes.device, cudaGetErrorName(cudaGetLastError()));
  cudaFree(a), cudaFree(b), cudaFreeHost(pinned), cudaFree(managed), cudaFree(pitched);
}
