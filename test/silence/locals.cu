// Locals whose addresses are passed on: stored in memory and in shared memory during their lifetime, in nested blocks
// that reuse the same place, in loops, with a size known at run time, as by-value arguments and results, and read
// through char.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

#define NOINLINE __attribute__((noinline))

struct Large {
  int values[20];
  Large *self;
};

NOINLINE __device__ Large make(int first) {
  Large large;
  for (int i = 0; i < 20; ++i)
    large.values[i] = first + i;
  large.self = nullptr;
  return large;
}
NOINLINE __device__ int take(Large large, int index) {
  large.self = &large;
  return large.self->values[index];
}
NOINLINE __device__ void swap(int *a, int *b) {
  int old = *a;
  *a = *b;
  *b = old;
}
NOINLINE __device__ int through(int **slot) {
  return **slot + (*slot)[2];
}

NOINLINE __device__ int with_alloca(int count, int depth) {
  int *values = static_cast<int *>(__builtin_alloca(count * sizeof(int)));
  for (int i = 0; i < count; ++i)
    values[i] = i + depth;
  int deeper = depth ? with_alloca(count + 3, depth - 1) : 0;
  return deeper + values[count - 1];
}

__global__ void all(int **slots, int *out, int index) {
  __shared__ int *shared[32];
  int own[3] = {int(threadIdx.x), 1, 2};
  shared[threadIdx.x] = own;
  slots[threadIdx.x] = own;
  __syncthreads();
  int total = through(&shared[threadIdx.x]) + through(&slots[threadIdx.x]);
  for (int round = 0; round < 3; ++round) {
    int block[8];
    for (int i = 0; i < 8; ++i)
      block[i] = round * i;
    slots[threadIdx.x] = block;
    total += slots[threadIdx.x][index];
    {
      int inner[8] = {round, round + 1};
      swap(&inner[0], &inner[1]);
      total += inner[0] + block[index + 1];
    }
  }
  {
    int again[8] = {4, 4, 4, 4, 4, 4, 4, 4};
    slots[threadIdx.x] = again;
    total += slots[threadIdx.x][7];
  }
  Large large = make(total);
  total += take(large, index) - total;
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(&total);
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i)
    sum = sum * 256 + bytes[3 - i];
  out[threadIdx.x] = int(sum) + with_alloca(index + 1, 3);
}

int main() {
  Buffer<int *> slots(32);
  Buffer<int> out(32);
  all<<<1, 32>>>(slots, out, 3);
  std::vector<int> got = out.host();
  for (int i = 0; i < 32; ++i) {
    int total = 2 * (i + 2);
    for (int round = 0; round < 3; ++round)
      total += round * 3 + round + 1 + round * 4;
    total += 4 + 3;
    EXPECT(got[i] == total + 6 + 8 + 10 + 12, "%d: %d, not %d", i, got[i], total);
  }
  return passed();
}
