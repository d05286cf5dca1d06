/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The eight greatest numbers of each row, in order; a block takes a row.
// Stands for a sorted private list with insertions, and for merges of lists in shared memory.
#include "../program.h"

constexpr int kTop = 8, kThreads = 128;

__device__ void insert_number(float *list, float number) {
  if (number <= list[kTop - 1])
    return;
  int at = kTop - 1;
  while (at > 0 && list[at - 1] < number) {
    list[at] = list[at - 1];
    at--;
  }
  list[at] = number;
}

// Merges two sorted lists, each a column, into the first one.
__device__ void merge_lists(float *lists, int own, int other) {
  float merged[kTop];
  int i = 0, j = 0;
  for (int k = 0; k < kTop; k++) {
    float a = lists[i * kThreads + own], b = lists[j * kThreads + other];
    if (a >= b) {
      merged[k] = a;
      i++;
    } else {
      merged[k] = b;
      j++;
    }
  }
  for (int k = 0; k < kTop; k++)
    lists[k * kThreads + own] = merged[k];
}

__global__ void find_top(const float *in, float *out, int columns, int rows) {
  __shared__ float lists[kTop * kThreads];
  float list[kTop];
  int row = blockIdx.x, tid = threadIdx.x;
  if (row >= rows)
    return;
  for (int k = 0; k < kTop; k++)
    list[k] = -INFINITY;
  for (int i = tid; i < columns; i += blockDim.x)
    insert_number(list, in[row * columns + i]);
  for (int k = 0; k < kTop; k++)
    lists[k * kThreads + tid] = list[k];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (tid < half)
      merge_lists(lists, tid, tid + half);
    __syncthreads();
  }
  if (tid < kTop)
    out[row * kTop + tid] = lists[tid * kThreads];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int columns = program.size(700, 4100), rows = program.size(6, 20000);
  float *in = program.allocate_made<float>(size_t(columns) * rows, MakeUnits{0});
  float *out = program.allocate<float>(rows * kTop);
  program.time([&] { find_top<<<rows, kThreads>>>(in, out, columns, rows); });
  auto check = [&](size_t row) {
    std::vector<float> wanted;
    for (int i = 0; i < columns; i++)
      wanted.push_back(unit(0, row * columns + i));
    std::sort(wanted.rbegin(), wanted.rend());
    wanted.resize(kTop);
    return copy_back(out + row * kTop, kTop) == wanted;
  };
  return program.finish(program.verify(rows, check, columns));
}
