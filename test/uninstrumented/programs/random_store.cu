/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// cuRAND gets a count that is greater than its memory: the library's kernel stores behind it.
// FLAGS: -lcurand
// BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
// BUG: (may have run|may have written there)
#include <cstdio>
#include <curand.h>
int main(int argc, char **argv) {
  const size_t count = 1 << 20;
  float *memory, first;
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetPseudoRandomGeneratorSeed(generator, 7);
  cudaMalloc(&memory, count * sizeof *memory);
  curandGenerateUniform(generator, memory, count + (argc > 1 ? 1024 : 0));
  cudaMemcpy(&first, memory + 5, sizeof first, cudaMemcpyDeviceToHost);
  printf("%g\n", first);
  cudaFree(memory);
  curandDestroyGenerator(generator);
}
