// Distances from one allocation to another, added to the first pointer again.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <cstddef>
#include <cstdint>

struct Wide { // its size is not a power of two
  int values[3];
};

template <typename T>
__device__ ptrdiff_t distance(const T *from, const T *to) {
  return to - from;
}
template <typename T>
__device__ __noinline__ ptrdiff_t bytes(const T *from, const T *to) {
  return (const char *)to - (const char *)from;
}
template <typename T>
__device__ __noinline__ T *moved(T *from, ptrdiff_t by) {
  return from + by;
}
template <typename T>
__device__ __noinline__ void put(T *from, ptrdiff_t by, const T &value) {
  from[by] = value;
}

template <typename T>
struct Pair {
  T *a, *b;
  __device__ __noinline__ T *other() const { return a + (b - a); }
};

__device__ int valueOf(const char &c) {
  return c;
}
__device__ int valueOf(const int &i) {
  return i;
}
__device__ int valueOf(const int4 &v) {
  return v.x + v.w;
}
__device__ int valueOf(const Wide &w) {
  return w.values[0] + w.values[2];
}

// b has `count` elements. Its distance from a is a multiple of an element's size.
template <typename T>
__global__ void forms(T *a, T *b, int count, volatile int zero, int *out) {
  int total = 0;
  total += valueOf(*(a + (b - a)));
  total += valueOf(a[b - a + count - 1]);
  total += valueOf((b + (a - b))[0]);
  total += valueOf(*(T *)((char *)a + ((char *)b - (char *)a)));
  total += valueOf(*(T *)((char *)a + (b - a) * sizeof(T)));
  total += valueOf(*(T *)((char *)a - ((char *)a - (char *)b)));
  total += valueOf(*(T *)((uintptr_t)a + ((uintptr_t)b - (uintptr_t)a)));
  total += valueOf(*(T *)((uintptr_t)a + (uintptr_t)((b - a) * (ptrdiff_t)sizeof(T))));
  if (b > a)
    total += valueOf(a[((uintptr_t)b - (uintptr_t)a) / sizeof(T)]);
  size_t apart = b - a;
  total += valueOf(a[apart]);
  ptrdiff_t chosen = zero ? 0 : b - a;
  total += valueOf(a[chosen]) + valueOf((a + zero)[chosen]);
  total += valueOf(*(a + distance(a, b))) + valueOf(*(T *)((char *)a + bytes(a, b)));
  total += valueOf(*moved(a, b - a)) + valueOf(*moved(a, distance(a, b)));
  put(a, b - a, *b);
  Pair<T> pair = {a, b}, *volatile from_memory = &pair;
  total += valueOf(*pair.other()) + valueOf(*from_memory->other());
  total += valueOf(*(from_memory->a + (from_memory->b - from_memory->a)));
  for (ptrdiff_t i = b - a, end = i + count; i != end; ++i)
    total += valueOf(a[i]);
  for (T *p = a + (b - a), *end = p + count; p != end; ++p)
    total += valueOf(*p);
  T *p = a;
  for (int i = 0; i < 4; ++i) { // alternately forwards and backwards
    total += valueOf(*p);
    p = p == a ? p + (b - p) : p + (a - p);
  }
  *out = total;
}

// Within one object distances are plain numbers, also of 32 bits.
__global__ void numbers(const int *first, const int *last, const int *other, int *out) {
  int total = 0;
  for (const int *p = first; p != last; ++p)
    total += other[p - first] + first[int(p - first)] + other[unsigned(last - p) - 1];
  for (int low = 0, high = int(last - first); low + 1 < high;) {
    const int middle = (low + high) / 2;
    total += first[middle];
    (total & 1 ? low : high) = middle;
  }
  const int *middle = first + (last - first) / 2;
  *out = total + *middle + *(last - (last - first));
}

// Shared addresses of 32 bits, as for cp.async and ldmatrix.
__device__ __noinline__ unsigned shared_address(const void *pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}

__global__ void shared_addresses(int *out) {
  __shared__ int first[32], second[64];
  first[threadIdx.x] = threadIdx.x;
  second[threadIdx.x] = second[threadIdx.x + 32] = 2 * threadIdx.x;
  __syncthreads();
  unsigned a = shared_address(first), b = (unsigned)__cvta_generic_to_shared(second + 32);
  int read;
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(read) : "r"(a + 4 * (31 - threadIdx.x)));
  int *back = (int *)__cvta_shared_to_generic(b);
  int *over = (int *)__cvta_shared_to_generic(a + (b - a)); // from one variable to another
  out[threadIdx.x] = read + back[threadIdx.x] + *(back - threadIdx.x) + over[threadIdx.x];
}

template <typename T>
void all_forms() {
  const int count = 5;
  Buffer<T> a(3);
  Buffer<char> raw((count + 1) * sizeof(T));
  Buffer<int> out(1);
  CUDA(cudaMemset(a, 0, sizeof(T)));
  CUDA(cudaMemset(raw, 0, (count + 1) * sizeof(T)));
  const ptrdiff_t rest = (raw.data - (char *)a.data) % ptrdiff_t(sizeof(T));
  T *b = (T *)(raw.data + (rest > 0 ? sizeof(T) - rest : -rest));
  forms<<<1, 1>>>(a.data, b, count, 0, out);
  EXPECT(out.host()[0] == 0, "%d", out.host()[0]);
}

int main() {
  all_forms<char>();
  all_forms<int>();
  all_forms<int4>();
  all_forms<Wide>();
  Buffer<int> first(std::vector<int>(10, 1)), other(std::vector<int>(10, 2)), out(32);
  numbers<<<1, 1>>>(first, first.data + 10, other, out);
  EXPECT(out.host()[0] >= 52, "%d", out.host()[0]);
  shared_addresses<<<1, 32>>>(out);
  EXPECT(out.host()[5] == 26 + 10 + (64 - 10) % 64 + 10, "%d", out.host()[5]);
  return passed();
}
