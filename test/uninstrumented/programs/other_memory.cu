/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Memory that gasan does not place: managed, page-locked and mapped, arrays with a texture, the heap of kernels and
// symbols. All correct.
#include <cstdio>
__device__ int counter, table[100];
__global__ void use(int *managed, int *mapped, cudaTextureObject_t texture, int *results) {
  int i = threadIdx.x;
  managed[i] += i;
  mapped[i] = managed[i];
  table[i % 100] = i;
  int *own = (int *)malloc(8 * sizeof *own);
  own[i % 8] = i;
  atomicAdd(&counter, own[i % 8]);
  free(own);
  results[i] = (int)tex2D<float>(texture, i % 16 + 0.5f, i / 16 + 0.5f);
}
int main() {
  int *managed, *mapped, *device, *results, last[2];
  float image[16 * 16];
  for (int i = 0; i < 256; i++)
    image[i] = i;
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 16, 16);
  cudaMemcpy2DToArray(array, 0, 0, image, 16 * sizeof(float), 16 * sizeof(float), 16, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaMallocManaged(&managed, 256 * sizeof *managed);
  cudaHostAlloc(&mapped, 256 * sizeof *mapped, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device, mapped, 0);
  cudaMalloc(&results, 256 * sizeof *results);
  for (int i = 0; i < 256; i++)
    managed[i] = i;
  use<<<1, 256>>>(managed, device, texture, results);
  cudaDeviceSynchronize();
  cudaMemcpy(&last[0], results + 255, sizeof last[0], cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&last[1], counter, sizeof last[1]);
  printf("%d %d %d %d %s\n", managed[255], mapped[255], last[0], last[1], cudaGetErrorName(cudaGetLastError()));
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array), cudaFreeHost(mapped), cudaFree(managed), cudaFree(results);
}
