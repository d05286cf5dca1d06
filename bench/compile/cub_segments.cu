/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates code for ragged arrays (rows of sparse matrices, batches of queries) on CUB's segmented algorithms. Slow
// because a segmented sort compiles one kernel for each range of segment sizes.
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>

// Rows begin at starts[0] to starts[rows - 1]; starts[rows] is the number of elements.
struct RaggedArray {
  const float *scores;
  const int *starts;
  int rows;
  int elements;
};

class Scratch {
public:
  explicit Scratch(cudaStream_t stream) : stream(stream) {}
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { cudaFreeAsync(memory, stream); }

  // Calls an algorithm of CUB twice: for the size of its scratch memory, and with that memory.
  template <typename Call>
  cudaError_t run(Call call) {
    size_t bytes = 0;
    cudaError_t error = call(nullptr, bytes);
    if (error == cudaSuccess && bytes > capacity) {
      cudaFreeAsync(memory, stream);
      memory = nullptr;
      capacity = 0;
      error = cudaMallocAsync(&memory, bytes, stream);
      if (error == cudaSuccess)
        capacity = bytes;
    }
    return error == cudaSuccess ? call(memory, bytes) : error;
  }

private:
  cudaStream_t stream;
  void *memory = nullptr;
  size_t capacity = 0;
};

// Writes the sum of each row.
cudaError_t sum_rows(const RaggedArray &array, float *sums, cudaStream_t stream) {
  Scratch scratch(stream);
  return scratch.run([&](void *memory, size_t &bytes) {
    return cub::DeviceSegmentedReduce::Sum(memory, bytes, array.scores, sums, array.rows, array.starts,
                                           array.starts + 1, stream);
  });
}

// Sorts the scores of each row, highest first.
cudaError_t sort_rows(const RaggedArray &array, float *sorted, cudaStream_t stream) {
  Scratch scratch(stream);
  return scratch.run([&](void *memory, size_t &bytes) {
    return cub::DeviceSegmentedSort::SortKeysDescending(memory, bytes, array.scores, sorted, array.elements, array.rows,
                                                        array.starts, array.starts + 1, stream);
  });
}
