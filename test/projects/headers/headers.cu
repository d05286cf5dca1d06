/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Names that nvcc gives a program, and clang does not.
#include <algorithm>
#include <cuda/std/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/device_ptr.h>

#include <cmath>
#include <cstdio>
#include <omp.h>

#if __CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10 != CUDA_VERSION
#error the compiler has another version than its toolkit
#endif
#if __CUDA_API_VER_MAJOR__ != __CUDACC_VER_MAJOR__ || !defined(__CUDACC_RDC__)
#error a macro is missing
#endif

struct Bytes {
  unsigned char *data;
  int count;
};

__host__ __device__ int between(int low, int value, int high) {
  return min(max(low, value), high);
}

/* All hints for one type each. The value stays. */
template <typename T>
__device__ void hint(T *at) {
  __stcg(at, __ldg(at));
  __stcs(at, __ldca(at));
  __stwb(at, __ldcg(at));
  __stwt(at, __ldcs(at));
  __stcg(at, __ldlu(at));
  __stcg(at, __ldcv(at));
}
template <typename... T>
__device__ void hint_each(void *at) {
  (hint(static_cast<T *>(at)), ...);
}

/* Leaves 0. */
__device__ void atomics(unsigned *at) {
  unsigned one = 1, old;
  __nv_atomic_exchange(at, &one, &old, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_compare_exchange(at, &one, &old, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(at, 5, __NV_ATOMIC_RELAXED);
  __nv_atomic_and(at, 4, __NV_ATOMIC_RELAXED);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_max(at, 9, __NV_ATOMIC_RELAXED);
  if (__nv_atomic_exchange_n(at, 0, __NV_ATOMIC_RELAXED) != 9)
    __trap();
}

__global__ void hints(Bytes bytes, float4 *vectors, int *numbers, __half *halves) {
  int i = threadIdx.x;
  __stcs(vectors + i, __ldcs(vectors + i));
  __stcg(numbers + i, __ldcg(numbers + i) + __ldca(numbers + i));
  __stwb(numbers + i, __ldcv(numbers + i));
  __stwt(numbers + i, numbers[i] + 1);
  __stcs(halves + i, __float2half(isfinite(vectors[i].x) ? 1.0f : 2.0f));
  __nv_atomic_fetch_add(numbers, between(0, i, 1), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  hint_each<long, unsigned long, signed char, ushort2, double2, __nv_bfloat16>(vectors + i);
  __stcg(&vectors[i].x, 0); // nvcc converts the value
  atomics(reinterpret_cast<unsigned *>(&vectors[i].y));
  __stcs(bytes.data + i + bytes.count, static_cast<unsigned char>(__ldlu(numbers + i)));
}

int main(int, char **arguments) {
  register int count = std::max(std::atoi(arguments[1]), 0); // an error in C++17 and a warning of nvcc
  Bytes bytes = {nullptr, count};
  float4 *vectors;
  int *numbers;
  __half *halves;
  cudaMalloc(&bytes.data, 32);
  cudaMalloc(&vectors, 32 * sizeof *vectors);
  cudaMalloc(&numbers, 32 * sizeof *numbers);
  cudaMalloc(&halves, 32 * sizeof *halves);
  cudaMemset(vectors, 0, 32 * sizeof *vectors);
  cudaMemset(numbers, 0, 32 * sizeof *numbers);
  hints<<<1, 32>>>(bytes, vectors, numbers, halves);
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 10; i++)
    sum += i;
  int first = 0;
  cudaMemcpy(&first, numbers, sizeof first, cudaMemcpyDeviceToHost);
  printf("first %d, %d, %d, %u, %g, %d, %u, %lld\n", first, sum, min(3, 4), max(3, 4u), max(1.5, 2.5f),
         isfinite(1.0) && clock() >= 0, umin(5, 6), llmax(-7, 7));
  return cudaDeviceSynchronize();
}
