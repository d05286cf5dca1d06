// A loaded index is in bounds behind the check of the first access to a variable with it. So the launch proof knows the
// range of a second access to memory with the same index, and of a loop up to it.
// RUN: %gasan -O2 -fsanitize-gpu-address-print-proofs=on %s -o %t 2>&1 | FileCheck %s --check-prefix=PROOF
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=launch_proof=0 %run %t fine 2>&1 >/dev/null | %silent
// RUN: not %run %t short 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not %run %t word 2>&1 | FileCheck %s --check-prefix=WORD --implicit-check-not=heap-buffer-overflow
// A thread that goes on behind its report still has the other checks.
// RUN: %gasan -O2 -fsanitize-gpu-address-recover %s -o %t.recover
// RUN: %options=halt_on_error=0:on_error=continue %exit=1 %t.recover word 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: %options=halt_on_error=0:on_error=continue %exit=1 %t.recover word 2>&1 | FileCheck %s --check-prefix=SHORT
// PROOF: kernel {{.*}}count{{.*}}, 1 checks in all variants
// FINE: Stats: 0 reports
#include "zeroed-array.cuh"

#include <cstring>

constexpr int kWords = 20;

__global__ void count(const int *words, int *counts, int *sums) {
  __shared__ int seen[kWords];
  if (threadIdx.x < kWords)
    seen[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int word = words[threadIdx.x];
  // WORD: ERROR: AddressSanitizer: shared-buffer-overflow
  // WORD-NEXT: READ of size 4
  // WORD-NEXT: #0 count({{.*}}checked-index.cu:[[#@LINE+2]]:
  // WORD: located {{.*}} 'seen'
  int sum = seen[word];
  // SHORT: ERROR: AddressSanitizer: heap-buffer-overflow
  // SHORT-NEXT: WRITE of size 4
  // SHORT-NEXT: #0 count({{.*}}checked-index.cu:[[#@LINE+3]]:
  // SHORT: located {{.*}}-byte region
  // SHORT: allocated by host thread T0 here:
  counts[word] = 1;
  for (int i = 0; i < word; ++i)
    sum += seen[i];
  sums[threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  auto is = [&](const char *name) { return !strcmp(argv[1], name); };
  int *words = array<int>(32), *counts = array<int>(is("short") ? kWords - 1 : kWords), *sums = array<int>(32);
  const int last = is("word") ? kWords : kWords - 1;
  cudaMemcpy(words + 31, &last, sizeof last, cudaMemcpyHostToDevice);
  count<<<1, 32>>>(words, counts, sums);
  int sum = 0;
  cudaMemcpy(&sum, sums + 31, sizeof sum, cudaMemcpyDeviceToHost);
  return is("fine") && sum != last + (last - 1) * last / 2;
}
