// What a benchmark program needs besides its kernels: checked CUDA calls, random inputs, timing, comparison.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void require(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "bench: %s: %s\n", what, cudaGetErrorString(error));
  exit(2);
}
#define REQUIRE(call) require(call, #call)

struct Random { // Knuth's LCG; the low bits of an LCG are poor
  uint64_t state;
  unsigned next() { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 32; }
};

template <typename T, typename Make> static T *upload(std::vector<T> &host, unsigned count, Make make) {
  host.resize(count);
  for (T &element : host)
    element = make();
  T *device;
  REQUIRE(cudaMalloc(&device, count * sizeof(T)));
  REQUIRE(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

// Milliseconds between an event before the launch and one after it.
template <typename Launch> static float time_launch(Launch launch, cudaEvent_t start, cudaEvent_t stop) {
  float milliseconds;
  REQUIRE(cudaEventRecord(start));
  launch();
  REQUIRE(cudaGetLastError());
  REQUIRE(cudaEventRecord(stop));
  REQUIRE(cudaEventSynchronize(stop));
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, stop));
  return milliseconds;
}

// The median time of the launches after the warm-ups.
template <typename Launch> static float time_launches(Launch launch, int repetitions, int warm_ups) {
  cudaEvent_t start, stop;
  REQUIRE(cudaEventCreate(&start));
  REQUIRE(cudaEventCreate(&stop));
  std::vector<float> times;
  for (int i = 0; i < warm_ups + repetitions; i++)
    times.push_back(time_launch(launch, start, stop));
  REQUIRE(cudaEventDestroy(start));
  REQUIRE(cudaEventDestroy(stop));
  times.erase(times.begin(), times.begin() + warm_ups);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Compares the first, the last and some random elements. A NaN is never equal.
template <typename Expected> static bool check_samples(const float *device, unsigned count, Expected expected) {
  const int samples = 200;
  Random random{count};
  for (int sample = 0; sample < samples; sample++) {
    unsigned i = sample == 0 ? 0 : sample == 1 ? count - 1 : random.next() % count;
    float actual;
    REQUIRE(cudaMemcpy(&actual, device + i, sizeof actual, cudaMemcpyDeviceToHost));
    double wanted = expected(i);
    if (!(fabs(actual - wanted) <= 1e-4 * fabs(wanted) + 1e-6)) {
      fprintf(stderr, "bench: element %u is %g, not %g\n", i, actual, wanted);
      return false;
    }
  }
  return true;
}
