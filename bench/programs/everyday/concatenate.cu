/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Arrays of different lengths, copied one behind the other into one array.
// The program stands for pointers in a struct by value, of which a binary search for the element's index chooses one.
#include "../program.h"

constexpr int kMost = 8;

struct Pieces {
  const float *data[kMost];
  int begins[kMost + 1]; // begins[pieces]: the length of the result
  int pieces;
};

// Returns the last piece that begins at or before i.
__device__ int find_piece(const Pieces &from, int i) {
  int low = 0, high = from.pieces;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (from.begins[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

__global__ void concatenate(Pieces from, float *out, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= from.begins[from.pieces])
    return;
  int piece = find_piece(from, i);
  out[i] = factor * from.data[piece][i - from.begins[piece]];
}

// Splits the result again: each block row of the grid copies a piece.
__global__ void split(const float *in, float *const *pieces, const int *begins) {
  int piece = blockIdx.y;
  int first = begins[piece], length = begins[piece + 1] - first;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x)
    pieces[piece][i] = in[first + i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Pieces from = {};
  from.pieces = program.size(5, 7);
  int unit_length = program.size(100, 3000000);
  std::vector<float *> copies;
  for (int piece = 0; piece < from.pieces; piece++) {
    int length = unit_length * (piece % 3 + 1) + 77 * piece + 1;
    auto make = [piece] __host__ __device__(size_t i) { return unit(piece, i); };
    from.data[piece] = program.allocate_made<float>(length, make);
    copies.push_back(program.allocate<float>(length));
    from.begins[piece + 1] = from.begins[piece] + length;
  }
  int count = from.begins[from.pieces];
  float *out = program.allocate<float>(count), **pointers = program.allocate_copy(copies);
  int *begins = program.allocate_copy(std::vector<int>(from.begins, from.begins + from.pieces + 1));
  program.time([&] {
    concatenate<<<divide_up(count, 256), 256>>>(from, out, 0.5f);
    split<<<dim3(program.size(4, 1024), from.pieces), 256>>>(out, pointers, begins);
  });
  return program.finish(program.verify(count, [&](size_t i) {
    int piece = 0;
    while (from.begins[piece + 1] <= int(i))
      piece++;
    size_t at = i - from.begins[piece];
    return fetch(out + i) == 0.5f * unit(piece, at) && fetch(copies[piece] + at) == fetch(out + i);
  }));
}
