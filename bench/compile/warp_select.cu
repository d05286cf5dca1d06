/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates the k-nearest selection of a vector-search library: one warp keeps the K best candidates of one query.
// Sorted queues live in registers, so every bitonic network is unrolled, once for each K, metric and type.
#include <cfloat>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum class Metric { Euclidean, InnerProduct };

struct Candidate {
  float distance = FLT_MAX;
  int index = -1;
};

__device__ inline bool comes_before(Candidate a, Candidate b) {
  return a.distance < b.distance || (a.distance == b.distance && a.index < b.index);
}

__device__ inline Candidate shuffle_xor(Candidate c, int mask) {
  return {__shfl_xor_sync(~0u, c.distance, mask), __shfl_xor_sync(~0u, c.index, mask)};
}

// Element i of a queue is register i / 32 of lane i % 32. Runs the stages of a bitonic sort from FirstSize on;
// blocks of `size` elements are sorted upwards and downwards in turn.
template <int FirstSize, int Registers>
__device__ void bitonic_sort(Candidate (&queue)[Registers]) {
#pragma unroll
  for (int size = FirstSize; size <= Registers * 32; size *= 2)
#pragma unroll
    for (int stride = size / 2; stride > 0; stride /= 2) {
      Candidate old[Registers];
      for (int r = 0; r < Registers; ++r)
        old[r] = queue[r];
#pragma unroll
      for (int r = 0; r < Registers; ++r) {
        const int i = r * 32 + threadIdx.x % 32;
        const Candidate other = stride < 32 ? shuffle_xor(old[r], stride) : old[r ^ stride / 32];
        const bool keep_first = ((i & stride) == 0) == ((i & size) == 0);
        queue[r] = comes_before(other, old[r]) == keep_first ? other : old[r];
      }
    }
}

// Keeps the smallest candidates of both queues in `best`, sorted. The mirrored minimum is a bitonic sequence.
template <int Best, int Fresh>
__device__ void merge_queues(Candidate (&best)[Best], Candidate (&fresh)[Fresh]) {
  bitonic_sort<2>(fresh);
#pragma unroll
  for (int r = 0; r < Fresh; ++r) {
    const Candidate mirrored = shuffle_xor(fresh[r], 31);
    if (comes_before(mirrored, best[Best - 1 - r]))
      best[Best - 1 - r] = mirrored;
    fresh[r] = Candidate{};
  }
  bitonic_sort<Best * 32>(best);
}

template <typename T>
struct Search {
  Candidate *results; // K for each query; index -1 marks an unused entry.
  const T *queries, *vectors;
  int query_count, vector_count, dimensions;
};

template <typename T, Metric M, int K>
__global__ void select_kernel(Search<T> s) {
  constexpr int best_size = K / 32, fresh_size = best_size < 4 ? best_size : 4;
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= s.query_count) // The same for all lanes of a warp.
    return;
  Candidate best[best_size], fresh[fresh_size];
  float threshold = FLT_MAX;
  for (int first = 0; first < s.vector_count; first += 32) {
    const int i = first + lane;
    float distance = i < s.vector_count ? 0 : FLT_MAX;
    for (int d = 0; d < s.dimensions && i < s.vector_count; ++d) {
      const float a = s.queries[size_t(row) * s.dimensions + d], b = s.vectors[size_t(i) * s.dimensions + d];
      distance += M == Metric::Euclidean ? (a - b) * (a - b) : -a * b;
    }
    if (distance < threshold) {
      for (int r = fresh_size - 1; r > 0; --r)
        fresh[r] = fresh[r - 1];
      fresh[0] = {distance, i};
    }
    if (__any_sync(~0u, fresh[fresh_size - 1].index >= 0)) {
      merge_queues(best, fresh);
      threshold = __shfl_sync(~0u, best[best_size - 1].distance, 31);
    }
  }
  merge_queues(best, fresh);
  for (int r = 0; r < best_size; ++r)
    s.results[size_t(row) * K + r * 32 + lane] = best[r];
}

template <typename T, Metric M>
cudaError_t select_nearest(int k, const Search<T> &s, cudaStream_t stream) {
  if (s.query_count <= 0 || s.query_count > (1 << 24) || s.vector_count > (1 << 30) || k < 1 || k > 256)
    return cudaErrorInvalidValue;
  const auto kernel = k <= 32    ? select_kernel<T, M, 32>
                      : k <= 64  ? select_kernel<T, M, 64>
                      : k <= 128 ? select_kernel<T, M, 128>
                                 : select_kernel<T, M, 256>;
  kernel<<<(s.query_count + 3) / 4, 128, 0, stream>>>(s);
  return cudaGetLastError();
}

template cudaError_t select_nearest<float, Metric::Euclidean>(int, const Search<float> &, cudaStream_t);
template cudaError_t select_nearest<float, Metric::InnerProduct>(int, const Search<float> &, cudaStream_t);
template cudaError_t select_nearest<__half, Metric::Euclidean>(int, const Search<__half> &, cudaStream_t);
template cudaError_t select_nearest<__half, Metric::InnerProduct>(int, const Search<__half> &, cudaStream_t);
