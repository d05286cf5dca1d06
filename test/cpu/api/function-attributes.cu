// cudaFuncGetAttributes and cudaFuncSetAttribute: a kernel must request more dynamic shared memory than 48 KiB.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void fixed(int *out) {
  __shared__ int shared[1000];
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = shared[(threadIdx.x + 1) % blockDim.x];
}
__global__ void __launch_bounds__(128) bounded(int *out) {
  out[threadIdx.x] = 1;
}
__global__ void dynamic(int *out, int words) {
  extern __shared__ int shared[];
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    shared[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    sum += shared[words - 1 - i] != words - 1 - i;
  atomicAdd(out, sum + 1);
}

int main() {
  int *out;
  CUDA(cudaMallocManaged(&out, 1024 * sizeof(int)));
  cudaFuncAttributes a;
  CUDA(cudaFuncGetAttributes(&a, fixed));
  EXPECT(a.sharedSizeBytes >= 4000 && a.sharedSizeBytes < 6000, "%zu", a.sharedSizeBytes);
  EXPECT(a.maxThreadsPerBlock >= 256 && a.maxThreadsPerBlock <= 1024 && a.numRegs > 0, "%d %d", a.maxThreadsPerBlock,
         a.numRegs);
  EXPECT(a.ptxVersion >= 70 && a.binaryVersion >= 70, "%d %d", a.ptxVersion, a.binaryVersion);
  EXPECT(a.maxDynamicSharedSizeBytes > 0 && a.maxDynamicSharedSizeBytes <= 48 << 10, "%d", a.maxDynamicSharedSizeBytes);
  CUDA(cudaFuncGetAttributes(&a, bounded));
  EXPECT(a.maxThreadsPerBlock == 128, "%d", a.maxThreadsPerBlock);
  EXPECT(a.sharedSizeBytes < 2000, "%zu", a.sharedSizeBytes);
  fixed<<<1, 256>>>(out);
  CUDA(cudaDeviceSynchronize());
  EXPECT(out[0] == 1 && out[255] == 0, "%d %d", out[0], out[255]);

  int most = 0;
  CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  *out = 0;
  dynamic<<<2, 128, 48 << 10>>>(out, 12 << 10);
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
  EXPECT(*out == 256, "%d", *out);
  dynamic<<<2, 128, (48 << 10) + 4>>>(out, 1);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue, "more than the default");
  CUDA(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  CUDA(cudaFuncGetAttributes(&a, dynamic));
  EXPECT(a.maxDynamicSharedSizeBytes == 64 << 10, "%d", a.maxDynamicSharedSizeBytes);
  *out = 0;
  dynamic<<<2, 128, 64 << 10>>>(out, 16 << 10);
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
  EXPECT(*out == 256, "%d", *out);
  dynamic<<<2, 128, (64 << 10) + 4>>>(out, 1);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue, "more than asked for");
  EXPECT(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1) == cudaErrorInvalidValue,
         "more than there is");
  CUDA(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
  CUDA(cudaFuncSetAttribute(fixed, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  CUDA(cudaFuncSetCacheConfig(fixed, cudaFuncCachePreferL1));
  EXPECT(cudaFuncGetAttributes(&a, (void *)&most) == cudaErrorInvalidResourceHandle, "no kernel");
  cudaGetLastError();

  // Kernels by handle and name.
  const char *name = "";
  CUDA(cudaFuncGetName(&name, bounded));
  EXPECT(strstr(name, "bounded"), "%s", name);
  cudaFunction_t function = nullptr;
  CUDA(cudaGetFuncBySymbol(&function, (const void *)bounded));
  EXPECT(function, "a function");
  EXPECT(cudaGetFuncBySymbol(&function, &most) == cudaErrorInvalidDeviceFunction, "no kernel");
  cudaGetLastError();
  printf("%d\n", *out);
  CUDA(cudaFree(out));
  return passed();
}
