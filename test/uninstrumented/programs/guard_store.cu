/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel stores behind its memory and then runs for two seconds: the guard kernel sees it at once, so that the
// process ends before the kernel does.
// OPTIONS: canary=guard
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: found while kernels ran
// BUG: Only this kernel may have written there:\nrun_long\(int\*, int, long long\)<<<4, 64>>>
// BUG: located [0-3] bytes after 4000-byte region
#include <cstdio>
__global__ void run_long(int *to, int count, long long cycles) {
  if (blockIdx.x == 0)
    for (int i = threadIdx.x; i < count; i += blockDim.x)
      to[i] = i;
  long long start = clock64();
  while (clock64() - start < cycles)
    ;
}
int main(int argc, char **argv) {
  int *memory, last;
  cudaMalloc(&memory, 1000 * sizeof *memory);
  run_long<<<4, 64>>>(memory, 1000 + (argc > 1), argc > 1 ? 4000000000 : 40000000);
  cudaDeviceSynchronize();
  cudaMemcpy(&last, memory + 999, sizeof last, cudaMemcpyDeviceToHost);
  printf("%d%s\n", last, argc > 1 ? " after the kernel" : "");
  cudaFree(memory);
}
