/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Shared by the workloads of footprint/: sizes, allocations that are counted, samples of the device memory in use.
//   WORKLOAD tiny|small|large driver|runtime
// small: the usual size of Rodinia's program. large: more than 256 MiB. tiny: for tests.
//
// driver: counts memory by the driver's own cuMemGetInfo, past any library between it and the program, relative to an
// empty context before the first call of the CUDA runtime. So the runtime's modules and the sanitizer count. Other
// processes must not use the device meanwhile. runtime: counts the bytes in use by cudaMemGetInfo, which is the CPU
// device's own count.
//
// Prints one JSON object, in bytes. "requested": the bytes that the program requested at its peak. "modelled": the
// pages of 2 MiB for them, where all chunks of up to 1 MiB share pages. It is the baseline where the plain program
// cannot run.
#pragma once

#include "../harness.h"

#include <cstring>
#include <cuda.h>
#include <dlfcn.h>

class DriverCounter {
public:
  void start() {
    if (!(library = dlopen("libcuda.so.1", RTLD_NOW)))
      fail("there is no libcuda.so.1", CUDA_ERROR_NOT_FOUND);
    check("cuInit", find<CUresult(unsigned)>("cuInit")(0));
    check("cuDevicePrimaryCtxRetain", find<CUresult(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, 0));
    at_start = free_bytes();
  }

  long long used() { return (long long)at_start - (long long)free_bytes(); }

private:
  void *library = nullptr;
  CUcontext context = nullptr;
  size_t at_start = 0;

  static void fail(const char *what, CUresult result) {
    fprintf(stderr, "footprint: %s: CUresult %d\n", what, int(result));
    exit(2);
  }
  static void check(const char *what, CUresult result) {
    if (result != CUDA_SUCCESS)
      fail(what, result);
  }
  template <typename Function>
  Function *find(const char *name) {
    void *function = dlsym(library, name);
    if (!function)
      fail(name, CUDA_ERROR_NOT_FOUND);
    return reinterpret_cast<Function *>(function);
  }

  // Keeps the thread's context.
  size_t free_bytes() {
    size_t free = 0, total = 0;
    CUcontext popped;
    check("cuCtxPushCurrent", find<CUresult(CUcontext)>("cuCtxPushCurrent_v2")(context));
    check("cuMemGetInfo", find<CUresult(size_t *, size_t *)>("cuMemGetInfo_v2")(&free, &total));
    check("cuCtxPopCurrent", find<CUresult(CUcontext *)>("cuCtxPopCurrent_v2")(&popped));
    return free;
  }
};

class RuntimeCounter {
public:
  static long long used() {
    size_t free = 0, total = 0;
    REQUIRE(cudaMemGetInfo(&free, &total));
    return (long long)total - (long long)free;
  }
};

class Footprint {
public:
  const int n; // the workload's size

  Footprint(const char *name, int argc, char **argv, int tiny, int small, int large)
      : n(choose(name, argc, argv, tiny, small, large)), name(name), size(argv[1]), driver(!strcmp(argv[2], "driver")) {
    if (driver)
      counter.start();
    REQUIRE(cudaFree(nullptr)); // starts the runtime
    sample();
    started = peak;
  }

  template <typename T>
  T *allocate(size_t count) {
    T *pointer = static_cast<T *>(allocate_uncounted(count * sizeof(T)));
    sample();
    return pointer;
  }

  // For many chunks that are each much smaller than the driver's unit of counting. Call sample() after the last.
  void *allocate_uncounted(size_t bytes) {
    void *pointer;
    REQUIRE(cudaMalloc(&pointer, bytes));
    chunks.push_back(pointer);
    count++;
    requested += bytes;
    (bytes > kPage / 2 ? large_bytes : small_bytes) += bytes > kPage / 2 ? in_pages(bytes) : bytes;
    requested_peak = std::max(requested_peak, requested);
    modelled_peak = std::max(modelled_peak, large_bytes + in_pages(small_bytes));
    return pointer;
  }

  // The elements are make(0), make(1), ...
  template <typename T, typename Make>
  T *allocate_made(size_t count, Make make) {
    T *pointer = allocate<T>(count);
    make_elements<<<divide_up(count, 256), 256>>>(pointer, count, make);
    launched();
    return pointer;
  }

  template <typename T>
  T *allocate_copy(const std::vector<T> &host) {
    T *pointer = allocate<T>(host.size());
    REQUIRE(cudaMemcpy(pointer, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
  }

  // Call after launches: the memory for modules, stacks and so on counts too.
  void launched() {
    REQUIRE(cudaGetLastError());
    REQUIRE(cudaDeviceSynchronize());
    sample();
  }

  void sample() { peak = std::max(peak, driver ? counter.used() : RuntimeCounter::used()); }

  void release_all() {
    for (void *chunk : chunks)
      REQUIRE(cudaFree(chunk));
    chunks.clear();
    requested = large_bytes = small_bytes = 0;
  }

  // main's result.
  int finish(bool verified) {
    launched();
    if (!verified) {
      fprintf(stderr, "footprint: %s computed something wrong\n", name);
      return 1;
    }
    release_all();
    long long end = driver ? counter.used() : RuntimeCounter::used();
    printf(
        "{\"workload\": \"%s\", \"size\": \"%s\", \"n\": %d, \"chunks\": %zu, \"requested\": %zu, \"modelled\": %zu, "
        "\"started\": %lld, \"peak\": %lld, \"end\": %lld}\n",
        name, size, n, count, requested_peak, modelled_peak, started, peak, end);
    return 0;
  }

private:
  static constexpr size_t kPage = 2 << 20;
  const char *name, *size;
  bool driver;
  DriverCounter counter;
  std::vector<void *> chunks;
  size_t count = 0, requested = 0, large_bytes = 0, small_bytes = 0, requested_peak = 0, modelled_peak = 0;
  long long started = 0, peak = 0;

  static size_t in_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

  static int choose(const char *name, int argc, char **argv, int tiny, int small, int large) {
    if (argc == 3 && (!strcmp(argv[2], "driver") || !strcmp(argv[2], "runtime"))) {
      if (!strcmp(argv[1], "tiny"))
        return tiny;
      if (!strcmp(argv[1], "small"))
        return small;
      if (!strcmp(argv[1], "large"))
        return large;
    }
    fprintf(stderr, "usage: %s tiny|small|large driver|runtime\n", name);
    exit(2);
  }
};
