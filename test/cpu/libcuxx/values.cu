// libcu++'s value types in kernels: complex, optional, tuple, span, array, and the clocks of chrono.
// RUN: %gasan -O2 -g0 %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>

#include "../inputs/buffer.h"

#include <complex>

using Complex = cuda::std::complex<float>;

// Small integers: their products and sums are exact.
__global__ void products(cuda::std::span<const Complex> a, cuda::std::span<const Complex> b,
                         cuda::std::span<Complex> out) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out.size())
    out[i] = a[i] * b[a.size() - 1 - i] + cuda::std::conj(b.subspan(i).front());
}

__device__ cuda::std::optional<int> parse(const char *text) {
  int value = 0;
  for (; *text; text++) {
    if (*text < '0' || *text > '9')
      return cuda::std::nullopt;
    value = 10 * value + *text - '0';
  }
  return value;
}

__global__ void numbers(const char (*texts)[8], int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  cuda::std::optional<int> number = parse(texts[i]);
  out[i] = number.value_or(-1);
  if (number)
    out[i] += *number;
}

__device__ cuda::std::tuple<int, int, unsigned> extremes(cuda::std::span<const int, 16> values) {
  cuda::std::tuple<int, int, unsigned> result(values[0], values[0], 0);
  for (int v : values) {
    auto &[least, most, sum] = result;
    least = v < least ? v : least;
    most = v > most ? v : most;
    sum += unsigned(v);
  }
  return result;
}

__global__ void windows(const cuda::std::array<int, 16> *in, cuda::std::array<int, 3> *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  auto [least, most, sum] = extremes(cuda::std::span<const int, 16>(in[i].data(), 16));
  cuda::std::array<int, 3> result{least, most, int(sum)};
  out[i] = result;
}

__global__ void clocks(int *out) {
  using namespace cuda::std::chrono;
  const auto wall = system_clock::now();
  const auto begin = high_resolution_clock::now();
  auto end = begin;
  while (end - begin < microseconds(20))
    end = high_resolution_clock::now();
  out[0] = system_clock::now() >= wall;
  out[1] = end - begin >= nanoseconds(20000);
  out[2] = int(duration_cast<minutes>(hours(3) + seconds(61)).count());
  out[3] = wall.time_since_epoch() > hours(24 * 365 * 50); // after 2020
}

int main() {
  Random random(73);
  for (int n : {1, 33, 1001}) {
    std::vector<Complex> a(n), b(n);
    for (int i = 0; i < n; i++) {
      a[i] = Complex(float(random.below(200)) - 100, float(random.below(200)) - 100);
      b[i] = Complex(float(random.below(200)) - 100, float(random.below(200)) - 100);
    }
    Buffer<Complex> dA(a), dB(b), dOut(n);
    products<<<(n + 63) / 64, 64>>>({dA.data, size_t(n)}, {dB.data, size_t(n)}, {dOut.data, size_t(n)});
    std::vector<Complex> out = dOut.host();
    for (int i = 0; i < n; i++) {
      float re = a[i].real() * b[n - 1 - i].real() - a[i].imag() * b[n - 1 - i].imag() + b[i].real();
      float im = a[i].real() * b[n - 1 - i].imag() + a[i].imag() * b[n - 1 - i].real() - b[i].imag();
      EXPECT(out[i].real() == re && out[i].imag() == im, "n %d: %d: %g %g, not %g %g", n, i, out[i].real(),
             out[i].imag(), re, im);
    }
    printf("complex %d: %016llx\n", n, (unsigned long long)checksum(out.data(), n * sizeof(Complex)));

    Buffer<char[8]> dTexts(n);
    std::vector<int> expected(n);
    std::vector<char> texts(8 * n);
    for (int i = 0; i < n; i++) {
      int value = int(random.below(100000));
      snprintf(&texts[8 * i], 8, "%d%s", value, i % 3 ? "" : "x");
      expected[i] = i % 3 ? 2 * value : -1;
    }
    CUDA(cudaMemcpy(dTexts.data, texts.data(), texts.size(), cudaMemcpyHostToDevice));
    Buffer<int> dNumbers(n);
    numbers<<<(n + 63) / 64, 64>>>(dTexts.data, dNumbers, n);
    EXPECT(dNumbers.host() == expected, "n %d", n);

    std::vector<cuda::std::array<int, 16>> lists(n);
    for (auto &list : lists)
      for (int &v : list)
        v = int(random.next()) >> 8;
    Buffer<cuda::std::array<int, 16>> dLists(lists);
    Buffer<cuda::std::array<int, 3>> dResults(n);
    windows<<<(n + 63) / 64, 64>>>(dLists.data, dResults.data, n);
    std::vector<cuda::std::array<int, 3>> results = dResults.host();
    for (int i = 0; i < n; i++) {
      unsigned sum = 0;
      for (int v : lists[i])
        sum += unsigned(v);
      EXPECT(results[i][0] == *std::min_element(lists[i].begin(), lists[i].end()) &&
                 results[i][1] == *std::max_element(lists[i].begin(), lists[i].end()) && results[i][2] == int(sum),
             "n %d: %d", n, i);
    }
  }
  Buffer<int> dClocks(4);
  clocks<<<1, 1>>>(dClocks);
  std::vector<int> out = dClocks.host();
  printf("clocks %d %d %d %d\n", out[0], out[1], out[2], out[3]);
  return passed();
}
