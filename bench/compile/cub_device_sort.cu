/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates the sorting stage of a renderer or database on CUB: radix sort of pairs and histograms. Slow because CUB
// compiles large kernels for several tuning policies of each key type.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <cstdint>

// Calls an algorithm of CUB twice: for the size of its scratch memory, and with that memory.
template <typename Call>
static cudaError_t call_with_scratch(cudaStream_t stream, Call call) {
  size_t bytes = 0;
  cudaError_t error = call(nullptr, bytes);
  if (error != cudaSuccess)
    return error;
  void *scratch = nullptr;
  error = cudaMallocAsync(&scratch, bytes, stream);
  if (error != cudaSuccess)
    return error;
  error = call(scratch, bytes);
  const cudaError_t freed = cudaFreeAsync(scratch, stream);
  return error != cudaSuccess ? error : freed;
}

// Sorts pairs by the low key_bits of the keys. Returns in keys and values the buffers that hold the result.
template <typename Key>
static cudaError_t sort_pairs(Key *keys[2], uint32_t *values[2], int count, int key_bits, cudaStream_t stream) {
  cub::DoubleBuffer<Key> key_buffers(keys[0], keys[1]);
  cub::DoubleBuffer<uint32_t> value_buffers(values[0], values[1]);
  const cudaError_t error = call_with_scratch(stream, [&](void *scratch, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers, count, 0, key_bits, stream);
  });
  keys[0] = key_buffers.Current();
  keys[1] = key_buffers.Alternate();
  values[0] = value_buffers.Current();
  values[1] = value_buffers.Alternate();
  return error;
}

cudaError_t sort_by_tile(uint32_t *tiles[2], uint32_t *triangles[2], int count, cudaStream_t stream) {
  return sort_pairs(tiles, triangles, count, 32, stream);
}

cudaError_t sort_by_morton_code(uint64_t *codes[2], uint32_t *points[2], int count, cudaStream_t stream) {
  return sort_pairs(codes, points, count, 64, stream);
}

// Counts the samples in equal intervals of [lowest, highest).
cudaError_t count_brightness(const float *samples, int count, int *bins, int bin_count, float lowest, float highest,
                             cudaStream_t stream) {
  return call_with_scratch(stream, [&](void *scratch, size_t &bytes) {
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, samples, bins, bin_count + 1, lowest, highest, count,
                                               stream);
  });
}
