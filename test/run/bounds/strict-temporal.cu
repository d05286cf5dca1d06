// RUN: %gasan -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-strict-temporal -O2 %s -o %t
// RUN: %options=strict_temporal=1 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-strict-temporal -O2 -DFIXED %s -o %t.fixed
// RUN: %options=strict_temporal=1 %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A kernel works on memory while another stream frees the memory.
#include <thread>

struct Flags {
  volatile int started, freed;
};

__global__ void work(volatile int *values, Flags *flags) {
  values[0] = 1;
  flags->started = 1;
  __threadfence_system();
  while (!flags->freed)
    ;
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK: #0 work(int volatile*, Flags*) {{.*}}strict-temporal.cu:[[#@LINE+1]]:
  values[1] = 2;
}

int main() {
  Flags *flags, *device_flags;
  int *values;
  cudaStream_t working, freeing;
  cudaStreamCreateWithFlags(&working, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&freeing, cudaStreamNonBlocking);
  cudaHostAlloc(&flags, sizeof *flags, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device_flags, flags, 0);
  flags->started = flags->freed = 0;
  // CHECK: located 4 bytes inside of 400-byte region
  // CHECK: freed by host thread
  cudaMallocAsync(&values, 400, freeing);
  cudaStreamSynchronize(freeing);
  /* On the CPU device a launch returns when the kernel has ended. */
  std::thread launcher([&] { work<<<1, 1, 0, working>>>(values, device_flags); });
  while (!flags->started)
    std::this_thread::yield();
#ifndef FIXED
  cudaFreeAsync(values, freeing);
  int *other;
  cudaMallocAsync(&other, 400, freeing);
#endif
  flags->freed = 1;
  launcher.join();
  return cudaDeviceSynchronize() != cudaSuccess;
}
