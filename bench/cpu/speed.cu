/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Measures the CPU device's speed; bench/cpu/run.py compares it with the targets. Times are CPU times of the process:
// with GASAN_OPTIONS=cpu_threads=1 those of one core. Prints one JSON object.
//   speed            all measurements but the scaling
//   speed scaling    the wall time of a launch with many blocks
#include "../harness.h"

#include <cstring>
#include <ctime>

#ifdef CHECKED
#define KERNEL __global__
#else
#define KERNEL __attribute__((no_sanitize("address"))) __global__
#endif

static double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

template <typename Make>
static float *upload(std::vector<float> &host, unsigned count, Make make) {
  host.resize(count);
  std::generate(host.begin(), host.end(), make);
  float *device;
  REQUIRE(cudaMalloc(&device, count * sizeof(float)));
  REQUIRE(cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  return device;
}

// The smallest of several measurements, since disturbances only add time.
template <typename Work>
static double best(clockid_t clock, int repetitions, Work work) {
  double smallest = 1e30;
  for (int i = 0; i < repetitions; i++) {
    double start = seconds(clock);
    work();
    smallest = std::min(smallest, seconds(clock) - start);
  }
  return smallest;
}

template <typename Work>
static double best_cpu(int repetitions, Work work) {
  return best(CLOCK_PROCESS_CPUTIME_ID, repetitions, work);
}

static void finish() {
  REQUIRE(cudaGetLastError());
  REQUIRE(cudaDeviceSynchronize());
}

KERNEL void empty() {}

KERNEL void store_index(unsigned *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}

KERNEL void barriers(unsigned *out, int count) {
  __shared__ unsigned turn;
  for (int i = 0; i < count; i++) {
    if (threadIdx.x == i % blockDim.x)
      turn = i;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = turn;
}

KERNEL void matmul(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// The same loop nest on the host, compiled by the same clang at -O2.
__attribute__((noinline)) static void matmul_nest(const float *a, const float *b, float *c, int n) {
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
      c[row * n + column] = sum;
    }
}

KERNEL void iterate(float *out, int steps) {
  float x = 0.5f + blockIdx.x * 1e-6f;
  for (int i = 0; i < steps; i++)
    x = 3.7f * x * (1 - x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

static double barrier_ns(unsigned *out) {
  const int threads = 256, blocks = 4, count = 2000;
  double with = best_cpu(5, [&] { barriers<<<blocks, threads>>>(out, count), finish(); });
  double without = best_cpu(5, [&] { barriers<<<blocks, threads>>>(out, 0), finish(); });
  return (with - without) * 1e9 / (double(threads) * blocks * count);
}

static double launch_us(unsigned blocks, unsigned threads, unsigned *out, int launches) {
  double time = best_cpu(5, [&] {
    for (int i = 0; i < launches; i++)
      store_index<<<blocks, threads>>>(out);
    finish();
  });
  return time * 1e6 / launches;
}

static double matmul_ratio(double *nest_seconds) {
  const int n = 512;
  Random random{1};
  auto value = [&] { return float(random.next() >> 8) / (1 << 24) - 0.5f; };
  std::vector<float> a, b, zero, expected(n * n), actual(n * n);
  float *da = upload(a, n * n, value), *db = upload(b, n * n, value), *dc = upload(zero, n * n, [] { return 0.0f; });
  *nest_seconds = best_cpu(3, [&] { matmul_nest(a.data(), b.data(), expected.data(), n); });
  dim3 block(16, 16), grid(n / 16, n / 16);
  double device = best_cpu(3, [&] { matmul<<<grid, block>>>(da, db, dc, n), finish(); });
  REQUIRE(cudaMemcpy(actual.data(), dc, actual.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n * n; i++)
    if (!(fabs(actual[i] - expected[i]) <= 1e-4)) {
      fprintf(stderr, "speed: matmul: element %d is %g, not %g\n", i, actual[i], expected[i]);
      exit(2);
    }
  return device / *nest_seconds;
}

int main(int argc, char **argv) {
  unsigned *out;
  REQUIRE(cudaMalloc(&out, sizeof(unsigned) << 20));
  if (argc > 1 && !strcmp(argv[1], "scaling")) {
    auto work = [&] { iterate<<<1024, 64>>>(reinterpret_cast<float *>(out), 20000), finish(); };
    work();
    printf("{\"scaling_s\": %g}\n", best(CLOCK_MONOTONIC, 3, work));
    return 0;
  }
  double nest, ratio = matmul_ratio(&nest);
  printf("{\"barrier_ns\": %g, \"matmul_ratio\": %g, \"matmul_nest_s\": %g, \"one_thread_us\": %g, "
         "\"launch_64x256_us\": %g, "
         "\"empty_1m_ms\": %g}\n",
         barrier_ns(out), ratio, nest, launch_us(1, 1, out, 20000), launch_us(64, 256, out, 500),
         best_cpu(5, [] { empty<<<1000, 1000>>>(), finish(); }) * 1e3);
  REQUIRE(cudaFree(out));
  return 0;
}
