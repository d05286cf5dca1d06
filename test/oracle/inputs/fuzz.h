// Shared by generated programs: conversions of integers to values of each element type, and back.
#ifndef GASAN_TEST_ORACLE_FUZZ_H
#define GASAN_TEST_ORACLE_FUZZ_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Triple {
  int a, b, c;
};

template <typename T>
__host__ __device__ T make(int value) {
  return T(value);
}
template <>
__host__ __device__ inline float2 make<float2>(int value) {
  return make_float2(value, 1);
}
template <>
__host__ __device__ inline int4 make<int4>(int value) {
  return make_int4(value, 1, 2, 3);
}
template <>
__host__ __device__ inline double2 make<double2>(int value) {
  return make_double2(value, 1);
}
template <>
__host__ __device__ inline float4 make<float4>(int value) {
  return make_float4(value, 1, 2, 3);
}
template <>
__host__ __device__ inline ulonglong2 make<ulonglong2>(int value) {
  return make_ulonglong2(value, 1);
}
template <>
__host__ __device__ inline Triple make<Triple>(int value) {
  return {value, 1, 2};
}

// Uses all bytes, because the optimiser would narrow the access otherwise.
template <typename T>
__host__ __device__ int use(T value) {
  return int(value);
}
template <>
__host__ __device__ inline int use(unsigned long long value) {
  return int(value) + int(value >> 32);
}
template <>
__host__ __device__ inline int use(float2 value) {
  return int(value.x) + int(value.y);
}
template <>
__host__ __device__ inline int use(int4 value) {
  return value.x + value.y + value.z + value.w;
}
template <>
__host__ __device__ inline int use(double2 value) {
  return int(value.x) + int(value.y);
}
template <>
__host__ __device__ inline int use(float4 value) {
  return int(value.x + value.y + value.z + value.w);
}
template <>
__host__ __device__ inline int use(ulonglong2 value) {
  return int(value.x) + int(value.y >> 32) + int(value.x >> 32) + int(value.y);
}
template <>
__host__ __device__ inline int use(Triple value) {
  return value.a + value.b + value.c;
}

#define CUDA(call)                                                                                                     \
  do {                                                                                                                 \
    cudaError_t cuda_error = (call);                                                                                   \
    if (cuda_error != cudaSuccess) {                                                                                   \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorName(cuda_error));                                \
      exit(2);                                                                                                         \
    }                                                                                                                  \
  } while (0)

template <typename T>
T *allocate(int count) {
  T *pointer;
  CUDA(cudaMalloc(&pointer, count * sizeof(T)));
  CUDA(cudaMemset(pointer, 0, count * sizeof(T)));
  return pointer;
}

template <typename T>
T *allocate_managed(int count) {
  T *pointer;
  CUDA(cudaMallocManaged(&pointer, count * sizeof(T)));
  CUDA(cudaMemset(pointer, 0, count * sizeof(T)));
  return pointer;
}

template <typename T>
T *allocate_pinned(int count) {
  T *pointer;
  CUDA(cudaMallocHost(&pointer, count * sizeof(T)));
  memset(static_cast<void *>(pointer), 0, count * sizeof(T));
  return pointer;
}

#define CARVED __attribute__((annotate("gasan_partition"))) // one such variable ends another

// Not inlined, so that the compiler must assume that other code has the address.
template <typename T>
__device__ __noinline__ void prepare(T *values, int count) {
  for (int i = 0; i < count; ++i)
    values[i] = make<T>(i);
}

static inline int *indices(const std::vector<int> &values) {
  int *pointer = allocate<int>(int(values.size()));
  CUDA(cudaMemcpy(pointer, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  return pointer;
}

#endif
