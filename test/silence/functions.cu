// Pointers through functions that are not inlined: recursion with the caller's locals, by direct calls and by a
// pointer; methods of classes with virtual functions; pointers as results, in references, in structures as arguments
// and results, and in default arguments.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

#define NOINLINE __attribute__((noinline))

struct Pair {
  int *values;
  int count;
};

NOINLINE __device__ int add(const int *a, const int *b, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += a[i] + (b ? b[i] : 0);
  return total;
}
NOINLINE __device__ int multiply(const int *a, const int *b, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += a[i] * b[i];
  return total;
}
using Operation = int (*)(const int *, const int *, int);
__device__ Operation table[] = {add, multiply};

NOINLINE __device__ int *advance(int *&pointer, int by) {
  int *old = pointer;
  pointer += by;
  return old;
}
NOINLINE __device__ Pair split(Pair &pair, int at) {
  Pair rest = {pair.values + at, pair.count - at};
  pair.count = at;
  return rest;
}
NOINLINE __device__ int *larger(int *a, int *b) {
  return *a > *b ? a : b;
}

NOINLINE __device__ int descend(const int *callers, int depth) {
  int own[4];
  for (int i = 0; i < 4; ++i)
    own[i] = callers[3 - i] + i;
  return depth ? descend(own, depth - 1) + callers[depth & 3] : own[0];
}

NOINLINE __device__ int odd(const int *values, int left);
NOINLINE __device__ int even(const int *values, int left) {
  return left ? *values + odd(values + 1, left - 1) : 0;
}
NOINLINE __device__ int odd(const int *values, int left) {
  return left ? 2 * *values + even(values + 1, left - 1) : 0;
}

struct Shape {
  __device__ virtual int area(const int *sizes) const { return 0; }
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area(const int *sizes) const override { return sizes[side] * sizes[side]; }
};

__global__ void direct(int *values, int *others, int count, int which, int *out) {
  int local[8];
  for (int i = 0; i < 8; ++i)
    local[i] = i;
  int *at = values;
  int *first = advance(at, 3);
  Pair pair = {values, count};
  Pair rest = split(pair, 5);
  Square square(4);
  const Shape *shape = &square;
  out[0] = add(values, nullptr, count) + multiply(values, others, count);
  out[1] = table[which](values, others, count) + table[1 - which](local, local + 4, 4);
  out[2] = *at + *first + add(rest.values, pair.values, rest.count < pair.count ? rest.count : pair.count);
  out[3] = *larger(values + 3, local) + *larger(local + 7, values);
  out[4] = descend(local, 6) + even(values, count);
  out[5] = shape->area(values);
}

int main() {
  std::vector<int> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  Buffer<int> data(values), others(std::vector<int>(10, 2)), out(6);
  direct<<<1, 1>>>(data, others, 10, 1, out);
  std::vector<int> got = out.host();
  EXPECT(got[0] == 45 + 90, "%d", got[0]);
  EXPECT(got[1] == 90 + 6 + 22, "%d", got[1]);
  EXPECT(got[2] == 3 + 0 + 35 + 10, "%d", got[2]);
  EXPECT(got[3] == 3 + 7, "%d", got[3]);
  int callers[4] = {0, 1, 2, 3}, sum = 0;
  for (int depth = 6; depth >= 0; --depth) {
    int own[4];
    for (int i = 0; i < 4; ++i)
      own[i] = callers[3 - i] + i;
    sum += depth ? callers[depth & 3] : own[0];
    memcpy(callers, own, sizeof own);
  }
  EXPECT(got[4] == sum + 20 + 50, "%d", got[4]);
  EXPECT(got[5] == 16, "%d", got[5]);
  return passed();
}
