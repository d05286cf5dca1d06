// Kernels that launch kernels, by nvcc's front end: they build, with checks. The CPU device has no such launches.
// gpu.py runs the program on a GPU, without an argument and with one.
// DEFINE: %{nvcc} = env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc -arch=sm_90
// RUN: %{nvcc} -rdc=true -fsanitize-gpu-address-devices=cuda %s -o %t 2>&1 | count 0
// RUN: llvm-objcopy --dump-section=.nv_fatbin=%t.fatbin %t %t.copy
// RUN: %build/lib/gasan/gasan-lift -extract=%t.fatbin -arch=sm_90 -o %t.ptx
// RUN: FileCheck %s <%t.ptx
// CHECK-DAG: .entry _Z5childPii(
// CHECK-DAG: .entry _Z6parentPiii(
// CHECK-DAG: __gasan_report_bounds
#include <cstdio>

__global__ void child(int *to, int value) {
  to[threadIdx.x] = value; // the bug: the last thread of the last child writes behind the memory
}

__global__ void parent(int *to, int count, int threads) {
  const int at = threadIdx.x;
  if (at < count)
    child<<<1, threads>>>(to + 32 * at, at + 1);
}

int main(int argc, char **) {
  const int count = 4, threads = argc > 1 ? 33 : 32;
  int *to, result[32 * count];
  cudaMalloc(&to, sizeof result);
  parent<<<1, 32>>>(to, count, threads);
  cudaError_t error = cudaDeviceSynchronize();
  error = error ? error : cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
  bool right = !error;
  for (int i = 0; right && i < 32 * count; i++)
    right = result[i] == i / 32 + 1;
  printf("%s\n", right ? "right" : cudaGetErrorString(error));
  return !right;
}
