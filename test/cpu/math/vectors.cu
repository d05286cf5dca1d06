// CUDA's vector types: every make_ function, sizes and alignments as on the host, whole-vector loads and stores, and
// arrays of vectors, pairs of doubles, half and wide integers in shared memory that a block turns around.
// RUN: %gasan -O2 -Wno-deprecated-declarations %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"
#include <cuda_fp16.h>

const int blocks = 6, threads = 64, total = blocks * threads;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long long longlong;
typedef unsigned long long ulonglong;

#define TYPES(F)                                                                                                       \
  F(char, signed char)                                                                                                 \
  F(uchar, uchar)                                                                                                      \
  F(short, short)                                                                                                      \
  F(ushort, ushort)                                                                                                    \
  F(int, int)                                                                                                          \
  F(uint, uint)                                                                                                        \
  F(long, long)                                                                                                        \
  F(ulong, ulong)                                                                                                      \
  F(longlong, longlong)                                                                                                \
  F(ulonglong, ulonglong)                                                                                              \
  F(float, float)                                                                                                      \
  F(double, double)

// Of one scalar type: vectors of 1 to 4, made of a seed and summed up with weights.
template <typename S>
__host__ __device__ S element(unsigned seed, int k) {
  return S(seed * 7 + k * 3 + 1);
}
#define ELEMENTS(S, k) element<S>(seed, k)
#define DEFINE(name, S)                                                                                                \
  struct name##All {                                                                                                   \
    name##1 a;                                                                                                         \
    name##2 b;                                                                                                         \
    name##3 c;                                                                                                         \
    name##4 d;                                                                                                         \
  };                                                                                                                   \
  __host__ __device__ void fill(name##All &v, unsigned seed) {                                                         \
    v.a = make_##name##1(ELEMENTS(S, 0));                                                                              \
    v.b = make_##name##2(ELEMENTS(S, 1), ELEMENTS(S, 2));                                                              \
    v.c = make_##name##3(ELEMENTS(S, 3), ELEMENTS(S, 4), ELEMENTS(S, 5));                                              \
    v.d = make_##name##4(ELEMENTS(S, 6), ELEMENTS(S, 7), ELEMENTS(S, 8), ELEMENTS(S, 9));                              \
  }                                                                                                                    \
  __host__ __device__ double weigh(const name##All &v) {                                                               \
    return double(v.a.x) + 2 * double(v.b.x) + 3 * double(v.b.y) + 5 * double(v.c.x) + 7 * double(v.c.y) +             \
           11 * double(v.c.z) + 13 * double(v.d.x) + 17 * double(v.d.y) + 19 * double(v.d.z) + 23 * double(v.d.w);     \
  }
TYPES(DEFINE)

struct Layout {
  unsigned size, alignment, last;
};
template <typename All>
__host__ __device__ Layout layoutOf() {
  return {unsigned(sizeof(All)), unsigned(alignof(All)), unsigned(offsetof(All, d))};
}

// Each thread's vectors go to the thread that mirrors it, whole, by way of shared memory.
template <typename All>
__global__ void turn(double *sums, Layout *layout) {
  __shared__ All words[threads];
  __shared__ double2 pairs[threads];
  __shared__ __half halves[threads];
  __shared__ __int128 wide[threads];
  int t = threadIdx.x, i = blockIdx.x * threads + t, mirror = threads - 1 - t;
  fill(words[t], i);
  pairs[t] = make_double2(i, -i);
  halves[t] = __float2half(float(t));
  wide[t] = (__int128)i << 70 | i;
  __syncthreads();
  All mine = words[mirror];
  double2 pair = pairs[mirror];
  __int128 number = wide[mirror];
  sums[i] = weigh(mine) + pair.x * 1e6 + (pair.x + pair.y) + double(__half2float(halves[mirror])) / 1024 +
            double(long(number >> 70) - long(number));
  if (i == 0)
    *layout = layoutOf<All>();
}

template <typename All>
void check(const char *name) {
  Buffer<double> sums(total);
  Buffer<Layout> layout(1);
  turn<All><<<blocks, threads>>>(sums, layout);
  std::vector<double> have = sums.host();
  Layout device = layout.host()[0], host = layoutOf<All>();
  EXPECT(memcmp(&device, &host, sizeof host) == 0, "%s: %u bytes aligned to %u on the device, %u and %u here", name,
         device.size, device.alignment, host.size, host.alignment);
  for (int i = 0; i < total; ++i) {
    int t = i % threads, from = i - t + threads - 1 - t;
    All other;
    fill(other, from);
    double want = weigh(other) + from * 1e6 + double(threads - 1 - t) / 1024;
    EXPECT(have[i] == want, "%s of thread %d: %.17g, not %.17g", name, i, have[i], want);
  }
  printf("%s %u bytes %016llx\n", name, device.size, (unsigned long long)checksum(have));
}

// 16-byte loads and stores through vector pointers move what four floats would.
__global__ void copyAsVectors(const float4 *in, float4 *out, int4 *bits, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = in[i];
    out[i] = make_float4(v.w, v.z, v.y, v.x);
    bits[i] = *reinterpret_cast<const int4 *>(&in[n - 1 - i]);
  }
}

int main() {
#define CHECK(name, S) check<name##All>(#name);
  TYPES(CHECK)
  const int n = 1000;
  std::vector<float> in = inputs<float>(4 * n, 111);
  Buffer<float> pin(in), out(4 * n);
  Buffer<int4> bits(n);
  copyAsVectors<<<3, 96>>>(reinterpret_cast<float4 *>(pin.data), reinterpret_cast<float4 *>(out.data), bits, n);
  std::vector<float> have = out.host();
  std::vector<int4> words = bits.host();
  for (int i = 0; i < 4 * n; ++i)
    EXPECT(memcmp(&have[i], &in[i / 4 * 4 + 3 - i % 4], 4) == 0, "float %d", i);
  for (int i = 0; i < n; ++i)
    EXPECT(memcmp(&words[i], &in[4 * (n - 1 - i)], 16) == 0, "int4 %d", i);
  return passed();
}
