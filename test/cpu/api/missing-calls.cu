// A call that the CPU device does not implement returns cudaErrorNotSupported, which is not sticky. One line for all
// threads names the call.
// REQUIRES: cpu
// RUN: %gasan -O1 %s -o %t -pthread
// RUN: %run %t 2>&1 | FileCheck %s
// RUN: %run %t 2>&1 | FileCheck %s --check-prefix=EACH
#include "../inputs/self_check.h"
#include <thread>

int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 20; ++i) {
        cudaIpcMemHandle_t handle;
        cudaLibrary_t library;
        int local = 0, clusters = 0;
        cudaLaunchConfig_t config = {};
        EXPECT(cudaIpcGetMemHandle(&handle, &local) == cudaErrorNotSupported, "interprocess memory");
        EXPECT(cudaGetLastError() == cudaErrorNotSupported && cudaGetLastError() == cudaSuccess, "not sticky");
        EXPECT(cudaLibraryLoadData(&library, &local, nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaErrorNotSupported,
               "library");
        EXPECT(cudaOccupancyMaxActiveClusters(&clusters, &local, &config) == cudaErrorNotSupported, "clusters");
        cudaGetLastError();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CUDA(cudaDeviceSynchronize());
  fprintf(stderr, "end\n");
  return passed();
}

// CHECK-COUNT-3: gasan: cuda{{[A-Za-z]+}} is not supported on the cpu device: it returns cudaErrorNotSupported
// CHECK-NOT: not supported
// CHECK: end
// EACH-DAG: gasan: cudaIpcGetMemHandle is not supported
// EACH-DAG: gasan: cudaLibraryLoadData is not supported
// EACH-DAG: gasan: cudaOccupancyMaxActiveClusters is not supported
