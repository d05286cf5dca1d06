// A kernel that is proven in part, and whose variant takes more than 64 registers, is compared with the kernel with all
// checks and with the variant's form of 64 registers in some of its launches. Each launch has the right results and
// finds the bug, whichever runs.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: for launch in 3 12 16 17 18 19 20 21 22 25 30; do \
// RUN:   not %run %t $launch 2>&1 | FileCheck %s --check-prefix=BUG || exit 1; done
// FINE-NOT: ERROR
// FINE: 0 wrong, no CUDA error
#include "trial.cuh"

constexpr int kSums = 80;

// The sums exchange their values, so all of them are held in registers.
__global__ void gather(float *to, const float *from, const int *indices, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sums[kSums] = {};
  for (int j = 0; j < 8; j++) {
    // BUG: ERROR: AddressSanitizer: heap-buffer-overflow
    // BUG: READ of size 4
    // BUG-NEXT: #0 gather(float*, float const*, int const*, int) {{.*}}trial-registers.cu:[[#@LINE+4]]:{{[0-9]+}}
    // BUG: located 0 bytes after 4000-byte region
    // BUG: allocated by host thread T0 here:
    if (i < n)
      sums[0] += from[indices[i]];
    const float first = sums[0];
#pragma unroll
    for (int k = 0; k + 1 < kSums; k++)
      sums[k] = sums[k + 1] + first * (k == kSums - 2);
    sums[kSums - 1] = first * 0.5f;
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < kSums; k++)
    all = all * 0.25f + sums[k];
  if (i < n)
    to[i] += all > 0 ? 1 : 0;
}

int main(int argc, char **argv) {
  return run_launches(argc, argv, 50, [](int, float *to, const float *from, const int *indices) {
    gather<<<4, 256>>>(to, from, indices, kElements);
    cudaDeviceSynchronize();
  });
}
