/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two GPUs: stream-ordered memory of a pool of the program's own, to which another device has access; with an argument,
// that device's copy is too long.
// DEVICES: 2
// BUG: ERROR: AddressSanitizer
#include <cstdio>
__global__ void fill(int *to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = i;
}
int main(int argc, char **argv) {
  const int count = 1 << 12;
  static int host[count + 1];
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool;
  cudaStream_t stream, other;
  cudaSetDevice(0);
  cudaMemPoolCreate(&pool, &properties);
  cudaMemAccessDesc access = {};
  access.location = {cudaMemLocationTypeDevice, 1};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  cudaError_t opened = cudaMemPoolSetAccess(pool, &access, 1);
  cudaStreamCreate(&stream);
  int *memory;
  cudaMallocFromPoolAsync((void **)&memory, count * sizeof *memory, pool, stream);
  cudaStreamSynchronize(stream);
  cudaSetDevice(1);
  cudaStreamCreate(&other);
  fill<<<count / 256, 256, 0, other>>>(memory, count);
  cudaStreamSynchronize(other);
  cudaSetDevice(0);
  cudaMemcpy(host, memory, (count + (argc > 1)) * sizeof *memory, cudaMemcpyDeviceToHost);
  cudaFreeAsync(memory, stream);
  cudaStreamSynchronize(stream);
  cudaMemPoolDestroy(pool);
  printf("%d %d %s\n", opened, host[count - 1], cudaGetErrorName(cudaGetLastError()));
}
