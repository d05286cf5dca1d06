// Arrays of pointers: to rows that are chunks of their own, to places inside of one chunk, sorted arrays, and a local
// array whose index is an argument.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void add_rows(int *const *rows, int count, int length, int *result) {
  int i = threadIdx.x;
  if (i < length) {
    int total = 0;
    for (int row = 0; row < count; ++row)
      total += rows[row][i];
    result[i] = total;
  }
}

__global__ void sort_pointers(int **pointers, int count) {
  for (int i = 1; i < count; ++i) {
    int *one = pointers[i], k = i;
    for (; k > 0 && *pointers[k - 1] > *one; --k)
      pointers[k] = pointers[k - 1];
    pointers[k] = one;
  }
}

__global__ void choose(int *a, int *b, int *c, int which, int *result) {
  int *locals[3] = {a, b, c};
  int **chosen = &locals[which];
  *result = (*chosen)[threadIdx.x + 5] + locals[(which + 1) % 3][7];
}

int main() {
  const int rows = 9, length = 33;
  std::vector<int *> pointers(rows);
  std::vector<int> expected(length);
  for (int row = 0; row < rows; ++row) {
    std::vector<int> values(length);
    for (int i = 0; i < length; ++i)
      expected[i] += values[i] = row * 100 + i;
    CUDA(cudaMalloc(&pointers[row], length * sizeof(int)));
    CUDA(cudaMemcpy(pointers[row], values.data(), length * sizeof(int), cudaMemcpyHostToDevice));
  }
  Buffer<int *> table(pointers);
  Buffer<int> sums(length), result(1);
  add_rows<<<1, 64>>>(table, rows, length, sums);
  EXPECT(sums.host() == expected, "rows");

  choose<<<1, 1>>>(pointers[2], pointers[3], pointers[4], 2, result);
  EXPECT(result.host()[0] == 405 + 207, "%d", result.host()[0]);

  std::vector<int> values = {5, 3, 9, 1, 7};
  Buffer<int> data(values);
  Buffer<int *> places(std::vector<int *>{data, data + 1, data + 2, data + 3, data + 4});
  sort_pointers<<<1, 1>>>(places, 5);
  std::vector<int *> sorted = places.host();
  EXPECT(sorted[0] == data + 3 && sorted[4] == data + 2, "order");
  for (int *pointer : pointers)
    CUDA(cudaFree(pointer));
  return passed();
}
