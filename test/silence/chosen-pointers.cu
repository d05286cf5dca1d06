// A pointer to one of several objects: of two chunks, of two memory spaces, or null; swapped in loops, or chosen by
// irreducible jumps.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void ping_pong(int *a, int *b, int count, int rounds) {
  int *from = a, *to = b;
  for (int round = 0; round < rounds; ++round) {
    to[threadIdx.x] = from[(threadIdx.x + 1) % count] + 1;
    __syncthreads();
    int *other = from;
    from = to;
    to = other;
  }
}

__global__ void rotate(int *a, int *b, int *c, int rounds) {
  int *x = a, *y = b + 1, *z = c + 2;
  for (int i = 0; i < rounds; ++i) {
    *x += *y + *z;
    int *first = x;
    x = y, y = z, z = first;
  }
}

__global__ void spaces(int *global, int which, int *out) {
  __shared__ int shared[32];
  int local[32];
  for (int i = 0; i < 32; ++i)
    local[i] = i + 2000;
  shared[threadIdx.x] = threadIdx.x + 1000;
  __syncthreads();
  int *chosen = which == 0 ? global : which == 1 ? shared : local;
  if (threadIdx.x % 2)
    chosen = which == 0 ? local : global;
  out[threadIdx.x] = chosen[31 - threadIdx.x];
}

__global__ void optional(const int *values, const int *weights, int count, int *out) {
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += values[i] * (weights ? weights[i] : 1);
  *out = total;
}

__global__ void jumps(int *a, int *b, int steps, int *out) {
  int *p = a;
  int total = 0;
  if (steps & 1)
    goto second;
first:
  total += *p++;
  if (--steps <= 0)
    goto end;
second:
  total += *p;
  p = (total & 1) ? b : a;
  if (--steps > 0)
    goto first;
end:
  *out = total;
}

int main() {
  Buffer<int> a(std::vector<int>(32, 1)), b(std::vector<int>(32, 2)), c(std::vector<int>(3, 3)), out(32);
  ping_pong<<<1, 32>>>(a, b, 32, 5);
  EXPECT(b.host() == std::vector<int>(32, 6), "%d", b.host()[0]);
  rotate<<<1, 1>>>(a, b, c, 4);
  int x = 5, y = 6, z = 3; // 14, 23, 40, 77
  x += y + z, y += z + x, z += x + y, x += y + z;
  EXPECT(a.host()[0] == x && b.host()[1] == y && c.host()[2] == z, "%d %d %d", a.host()[0], b.host()[1], c.host()[2]);
  Buffer<int> values(std::vector<int>(32, 9));
  for (int which = 0; which < 3; ++which) {
    spaces<<<1, 32>>>(values, which, out);
    std::vector<int> got = out.host();
    for (int i = 0; i < 32; ++i) {
      int even = which == 0 ? 9 : which == 1 ? 1031 - i : 2031 - i, odd = which == 0 ? 2031 - i : 9;
      EXPECT(got[i] == (i % 2 ? odd : even), "%d, %d: %d", which, i, got[i]);
    }
  }
  optional<<<1, 1>>>(values, nullptr, 32, out);
  EXPECT(out.host()[0] == 288, "%d", out.host()[0]);
  optional<<<1, 1>>>(values, values, 32, out);
  EXPECT(out.host()[0] == 2592, "%d", out.host()[0]);
  jumps<<<1, 1>>>(values, values + 16, 7, out);
  EXPECT(out.host()[0] == 63, "%d", out.host()[0]);
  return passed();
}
