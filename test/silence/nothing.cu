// Kernels without memory accesses: null and stale pointers that are not dereferenced, allocations of 0 bytes, counts of
// 0, prefetches beyond the end, branches that are never taken.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

struct Maybe {
  int *values;
  int count;
};

__global__ void add(Maybe maybe, const int *stale, int *out) {
  int total = 0;
  for (int i = 0; i < maybe.count; ++i)
    total += maybe.values[i];
  if (total < 0)
    total += *stale + stale[1 << 20];
  *out += total + 1;
}

__global__ void prefetch(const int *values, int count, int *out) {
  int total = 0;
  for (int i = 0; i < count; ++i) {
    __builtin_prefetch(values + i + 64);
    total += values[i];
  }
  *out = total;
}

__global__ void guarded(const int *values, int count, int limit, int *out) {
  int i = threadIdx.x;
  int value = i < count ? values[i] : 0; // may become a select instruction
  int other = i < limit && i < count && values[i] > 2 ? values[i] : 1;
  out[i] = value + other;
}

int main() {
  int *none = nullptr;
  CUDA(cudaMalloc(&none, 0));
  CUDA(cudaFree(none));
  CUDA(cudaFree(nullptr));
  int *stale;
  CUDA(cudaMalloc(&stale, 400));
  CUDA(cudaFree(stale));
  Buffer<int> out(std::vector<int>(64, 0));
  add<<<1, 1>>>({nullptr, 0}, stale, out);
  add<<<1, 1>>>({stale, 0}, nullptr, out);
  add<<<1, 1>>>({none, 0}, stale, out);
  EXPECT(out.host()[0] == 3, "%d", out.host()[0]);
  Buffer<int> values(std::vector<int>{1, 2, 3, 4, 5});
  prefetch<<<1, 1>>>(values, 5, out);
  EXPECT(out.host()[0] == 15, "%d", out.host()[0]);
  guarded<<<1, 64>>>(values, 5, 4, out);
  std::vector<int> got = out.host();
  EXPECT(got[3] == 8 && got[4] == 6 && got[63] == 1, "%d %d %d", got[3], got[4], got[63]);
  return passed();
}
