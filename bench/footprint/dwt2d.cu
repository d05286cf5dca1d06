/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One level of the reversible 5/3 wavelet transform of an n x n image of three colours, as Rodinia's dwt2d: the bytes
// of the file, a plane of words for each colour, a plane for intermediate results. n is even. Exact.
#include "footprint.h"

constexpr int kTile = 16, kColours = 3;

struct MakeByte {
  __host__ __device__ unsigned char operator()(size_t i) const { return scramble(i); }
};

__host__ __device__ inline int mirrored(int i, int n) {
  return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
}

// Element i of the transformed line: odd ones are details, even ones the smooth part.
template <typename Line>
__host__ __device__ int lifted(Line line, int i, int n) {
  auto detail = [&](int i) { return line(i) - ((line(mirrored(i - 1, n)) + line(mirrored(i + 1, n))) >> 1); };
  return i % 2 ? detail(i) : line(i) + ((detail(mirrored(i - 1, n)) + detail(mirrored(i + 1, n)) + 2) >> 2);
}

__global__ void split_colours(const unsigned char *bytes, int *red, int *green, int *blue, size_t count) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < count) {
    red[i] = bytes[kColours * i] - 128;
    green[i] = bytes[kColours * i + 1] - 128;
    blue[i] = bytes[kColours * i + 2] - 128;
  }
}

// Along lines whose elements are `step` apart and that start `next` apart; smooth parts go into the first half.
__global__ void transform(const int *from, int *to, int n, int step, int next) {
  int i = blockIdx.x * kTile + threadIdx.x, line = blockIdx.y * kTile + threadIdx.y;
  if (i >= n || line >= n)
    return;
  const int *start = from + size_t(line) * next;
  int value = lifted([&](int i) { return start[size_t(i) * step]; }, i, n);
  to[size_t(line) * next + size_t(i % 2 * (n / 2) + i / 2) * step] = value;
}

static int expected(int n, int colour, int x, int y) {
  auto original = [n](int i) { return i < n / 2 ? 2 * i : 2 * (i - n / 2) + 1; };
  auto across = [=](int row) {
    return lifted([=](int i) { return MakeByte()((size_t(row) * n + i) * kColours + colour) - 128; }, original(x), n);
  };
  return lifted(across, original(y), n);
}

int main(int argc, char **argv) {
  Footprint run("dwt2d", argc, argv, 48, 1024, 4608);
  int n = run.n;
  size_t count = size_t(n) * n;
  unsigned char *bytes = run.allocate_made<unsigned char>(count * kColours, MakeByte());
  int *planes[kColours], *half_done;
  for (int *&plane : planes)
    plane = run.allocate<int>(count);
  half_done = run.allocate<int>(count);
  split_colours<<<divide_up(count, 256), 256>>>(bytes, planes[0], planes[1], planes[2], count);
  dim3 blocks(divide_up(n, kTile), divide_up(n, kTile)), threads(kTile, kTile);
  for (int *plane : planes) {
    transform<<<blocks, threads>>>(plane, half_done, n, 1, n);
    transform<<<blocks, threads>>>(half_done, plane, n, n, 1);
  }
  run.launched();
  return run.finish(holds_for_samples(count * kColours, [&](size_t i) {
    size_t colour = i / count, pixel = i % count;
    return fetch(planes[colour] + pixel) == expected(n, int(colour), int(pixel % n), int(pixel / n));
  }));
}
