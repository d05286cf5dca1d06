// A kernel that is proven in part is compared with the kernel with all checks in some of its launches. Each launch has
// the right results and finds the bug, whichever runs, in two streams. The kernel takes few registers, so the trial
// comes late.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %options=print_stats=1 %run %t -1 120 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %options=launch_proof=0 %run %t 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: for launch in 3 17 127 128 131 132 133 134 136 140 150; do \
// RUN:   not %run %t $launch 2>&1 | FileCheck %s --check-prefix=BUG || exit 1; done
// FINE-NOT: ERROR
// FINE: 0 wrong, no CUDA error
// EARLY: launch proof: 0 of 120 launches proven, 120 in part
// One launch or five were timed with all checks. If the variant was slower, so have all launches behind the trial.
// STATS: launch proof: 0 of 170 launches proven, {{16[59]|1[34][0-9]}} in part
// STATS: Stats:   gather(float*, float const*, int const*, int): 0 launches proven
#include "trial.cuh"

__global__ void gather(float *to, const float *from, const int *indices, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BUG: ERROR: AddressSanitizer: heap-buffer-overflow
  // BUG: READ of size 4
  // BUG-NEXT: #0 gather(float*, float const*, int const*, int) {{.*}}trial.cu:[[#@LINE+4]]:{{[0-9]+}}
  // BUG: located 0 bytes after 4000-byte region
  // BUG: allocated by host thread T0 here:
  if (i < n)
    to[i] += from[indices[i]];
}

int main(int argc, char **argv) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  return run_launches(
      argc, argv, argc > 2 ? atoi(argv[2]) : 170, [&](int number, float *to, const float *from, const int *indices) {
        const int blocks = number < 160 ? 4 : 8;
        cudaStream_t into = number % 2 ? stream : nullptr;
        gather<<<blocks, 256, 0, into>>>(to, from, indices, kElements);
        cudaStreamSynchronize(stream); // `stream` does not wait for itself only: the default stream waits for it
        cudaStreamSynchronize(nullptr);
      });
}
