/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Shared by the programs of programs/: sizes, inputs, timing, verification.
//   PROGRAM small|full [REPETITIONS [WARM_UPS]]
// full: several times the data that fits into a GPU's L2 cache, where the algorithm allows that. small: for tests.
// REPETITIONS 0, the default: as many as take some tenths of a second.
//
// Prints one JSON object: "ms", the median of the repetitions; "verify_ms", the host's time to verify the results.
#pragma once

#include "../harness.h"

#include <chrono>
#include <cstring>

class Program {
public:
  const bool full;

  Program(int argc, char **argv) : full(argc > 1 && !strcmp(argv[1], "full")) {
    if (argc < 2 || argc > 4 || (!full && strcmp(argv[1], "small"))) {
      fprintf(stderr, "usage: %s small|full [REPETITIONS [WARM_UPS]]\n", argv[0]);
      exit(2);
    }
    repetitions = argc > 2 ? atoi(argv[2]) : 0;
    warm_ups = argc > 3 ? atoi(argv[3]) : 2;
  }

  size_t size(size_t small, size_t at_full) const { return full ? at_full : small; }

  template <typename T>
  T *allocate(size_t count) {
    T *pointer;
    REQUIRE(cudaMalloc(&pointer, count * sizeof(T)));
    chunks.push_back(pointer);
    return pointer;
  }

  // The elements are make(0), make(1), ...
  template <typename T, typename Make>
  T *allocate_made(size_t count, Make make) {
    T *pointer = allocate<T>(count);
    fill(pointer, count, make);
    return pointer;
  }

  template <typename T>
  T *allocate_copy(const std::vector<T> &host) {
    T *pointer = allocate<T>(host.size());
    REQUIRE(cudaMemcpy(pointer, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
  }

  template <typename T, typename Make>
  static void fill(T *elements, size_t count, Make make) {
    make_elements<<<divide_up(count, 256), 256>>>(elements, count, make);
    REQUIRE(cudaGetLastError());
  }

  // Measures one or more launches, and the host's work between them.
  template <typename Launch>
  void time(Launch launch) {
    time([] {}, launch);
  }

  // The same, for programs that need new input in each repetition.
  template <typename Prepare, typename Launch>
  void time(Prepare prepare, Launch launch) {
    cudaEvent_t start, stop;
    REQUIRE(cudaEventCreate(&start));
    REQUIRE(cudaEventCreate(&stop));
    for (int i = 0; i < warm_ups; i++)
      time_once(prepare, launch, start, stop);
    double sum = 0;
    while (goes_on(sum)) {
      times.push_back(time_once(prepare, launch, start, stop));
      sum += times.back();
    }
    REQUIRE(cudaEventDestroy(start));
    REQUIRE(cudaEventDestroy(stop));
    measured = std::chrono::steady_clock::now();
  }

  // Checks all indices below count if that is cheap (`cost`: the host's steps for one index), else some. Call after
  // time().
  template <typename Check>
  bool verify(size_t count, Check check, size_t cost = 1) const {
    if (full || count * cost > 1 << 22)
      return holds_for_samples(count, check);
    for (size_t i = 0; i < count; i++)
      if (!check(i))
        return false;
    return true;
  }

  // main's result.
  int finish(bool verified) {
    std::chrono::duration<double, std::milli> verifying = std::chrono::steady_clock::now() - measured;
    for (void *chunk : chunks)
      REQUIRE(cudaFree(chunk));
    if (!verified) {
      fprintf(stderr, "bench: the results are wrong\n");
      return 1;
    }
    std::sort(times.begin(), times.end());
    printf("{\"ms\": %.6f, \"least_ms\": %.6f, \"greatest_ms\": %.6f, \"repetitions\": %zu, \"verify_ms\": %.3f}\n",
           times[times.size() / 2], times.front(), times.back(), times.size(), verifying.count());
    return 0;
  }

private:
  int repetitions, warm_ups;
  std::vector<float> times;
  std::vector<void *> chunks;
  std::chrono::steady_clock::time_point measured;

  bool goes_on(double sum) const {
    const size_t least = 3, most = 15;
    const double enough_ms = 200;
    if (repetitions > 0)
      return times.size() < size_t(repetitions);
    return times.size() < (full ? least : 1) || (full && sum < enough_ms && times.size() < most);
  }

  template <typename Prepare, typename Launch>
  static float time_once(Prepare prepare, Launch launch, cudaEvent_t start, cudaEvent_t stop) {
    float milliseconds;
    prepare();
    REQUIRE(cudaDeviceSynchronize());
    REQUIRE(cudaEventRecord(start));
    launch();
    REQUIRE(cudaGetLastError());
    REQUIRE(cudaEventRecord(stop));
    REQUIRE(cudaEventSynchronize(stop));
    REQUIRE(cudaEventElapsedTime(&milliseconds, start, stop));
    return milliseconds;
  }
};

template <typename T>
std::vector<T> copy_back(const T *device, size_t count) {
  std::vector<T> host(count);
  REQUIRE(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

// A NaN is close to nothing.
inline bool is_close(double actual, double wanted, double tolerance = 1e-4) {
  if (fabs(actual - wanted) <= tolerance * fabs(wanted) + 1e-6)
    return true;
  fprintf(stderr, "bench: %g instead of %g\n", actual, wanted);
  return false;
}

// Inputs of several arrays: element i of array number `array`.
__host__ __device__ inline float unit(int array, unsigned long long i) {
  return scrambled_unit(i + ((unsigned long long)array << 40));
}

struct MakeUnits {
  int array;
  __host__ __device__ float operator()(size_t i) const { return unit(array, i); }
};
