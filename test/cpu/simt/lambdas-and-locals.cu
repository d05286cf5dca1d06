// Lambdas (extended lambdas as kernel arguments, generic and recursive ones inside), templates over functors, packs and
// values, large and dynamic local arrays, alloca, and arguments of every shape.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

template <typename F>
__global__ void forEach(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    f(i);
}

template <typename... T>
__host__ __device__ long long sumOf(T... values) {
  return (0LL + ... + (long long)values);
}
template <int N>
struct Power {
  template <typename T>
  __host__ __device__ static T of(T x) {
    return x * Power<N - 1>::of(x);
  }
};
template <>
struct Power<0> {
  template <typename T>
  __host__ __device__ static T of(T) {
    return 1;
  }
};
template <template <int> class P, int... N>
__host__ __device__ unsigned polynomial(unsigned x) {
  return (0u + ... + P<N>::of(x));
}

// Each thread chooses the size of its local array.
__host__ __device__ unsigned sieve(int limit) {
  unsigned char *composite = static_cast<unsigned char *>(__builtin_alloca(limit + 1));
  for (int i = 0; i <= limit; ++i)
    composite[i] = 0;
  unsigned sum = 0;
  for (int i = 2; i <= limit; ++i) {
    if (composite[i])
      continue;
    sum += i;
    for (int j = 2 * i; j <= limit; j += i)
      composite[j] = 1;
  }
  return sum;
}

__host__ __device__ unsigned mixed(unsigned seed) {
  unsigned table[300], order[300];
  for (int i = 0; i < 300; ++i) {
    table[i] = seed = seed * 1664525u + 1013904223u;
    order[i] = (table[i] >> 8) % 300;
  }
  unsigned at = 0, sum = 0;
  for (int i = 0; i < 1000; ++i) {
    sum = sum * 33 + table[at];
    at = (order[at] + i) % 300;
  }
  auto gcd = [](auto self, unsigned a, unsigned b) -> unsigned { return b ? self(self, b, a % b) : a; };
  auto twice = [&](auto f) { return f(sum) + f(sum + 1); };
  return twice([=](unsigned x) { return gcd(gcd, x, seed | 1) + x; });
}

// Arguments of every alignment and size between the others.
struct Odd {
  char c;
  short s;
  double d;
  unsigned char bytes[5];
};
struct alignas(32) Wide {
  float values[12];
};
struct Empty {};
__global__ void arguments(char a, Odd odd, bool flag, Wide wide, short b, Empty, long long c, float4 vector, int *out) {
  out[0] = a + odd.c + odd.s + int(odd.d) + odd.bytes[4];
  out[1] = flag ? int(wide.values[11]) : -1;
  out[2] = b + int(c >> 32) + int(vector.w);
  odd.bytes[threadIdx.x] = 77; // each thread has its own copy of a parameter
  out[3 + threadIdx.x] = odd.bytes[0] + odd.bytes[4];
}

int main() {
  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10)); // the compiler does not know the stack size of alloca
  const int n = 700;
  unsigned *d;
  std::vector<unsigned> out(n);
  CUDA(cudaMalloc(&d, n * sizeof(unsigned)));
  const int offset = 5;
  std::vector<std::pair<const char *, unsigned (*)(int)>> expected = {
      {"packs", [](int i) { return unsigned(sumOf(i, short(i), 2.5f * i, (unsigned char)i, 5)); }},
      {"powers", [](int i) { return polynomial<Power, 1, 3, 5>(i); }},
      {"sieves", [](int i) { return sieve(i + 2); }},
      {"mixed", [](int i) { return mixed(i * 77); }},
  };
  for (size_t k = 0; k < expected.size(); ++k) {
    if (k == 0)
      forEach<<<5, 96>>>(
          n, [=] __device__(int i) { d[i] = unsigned(sumOf(i, short(i), 2.5f * i, (unsigned char)i, offset)); });
    else if (k == 1)
      forEach<<<5, 96>>>(n, [=] __device__(int i) { d[i] = polynomial<Power, 1, 3, 5>(i); });
    else if (k == 2)
      forEach<<<5, 96>>>(n, [=] __device__(int i) { d[i] = sieve(i + 2); });
    else
      forEach<<<5, 96>>>(n, [=] __device__(int i) { d[i] = mixed(i * 77); });
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), d, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
      EXPECT(out[i] == expected[k].second(i), "%s %d: %u, not %u", expected[k].first, i, out[i], expected[k].second(i));
    printf("%s %016llx\n", expected[k].first, (unsigned long long)checksum(out));
  }
  Odd odd = {1, -300, 12345.5, {9, 8, 7, 6, 5}};
  Wide wide = {};
  wide.values[11] = 42;
  arguments<<<1, 5>>>(-3, odd, true, wide, 1000, Empty(), 7LL << 32, make_float4(1, 2, 3, 4), (int *)d);
  CUDA(cudaGetLastError());
  int got[8];
  CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got[0] == -3 + 1 - 300 + 12345 + 5, "%d", got[0]);
  EXPECT(got[1] == 42, "%d", got[1]);
  EXPECT(got[2] == 1000 + 7 + 4, "%d", got[2]);
  for (int t = 0; t < 5; ++t)
    EXPECT(got[3 + t] == (t == 0 ? 77 : 9) + (t == 4 ? 77 : 5), "thread %d: %d", t, got[3 + t]);
  CUDA(cudaFree(d));
  return passed();
}
