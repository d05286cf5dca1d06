// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A reduction without a result (red) into a histogram with one bin too few, after a correct atomic operation.
#ifdef FIXED
constexpr int kBins = 8;
#else
constexpr int kBins = 7;
#endif

__global__ void histogram(unsigned *total, unsigned *bins) {
  unsigned old;
  asm volatile("atom.add.relaxed.gpu.global.u32 %0, [%1], 1;" : "=r"(old) : "l"(total) : "memory");
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: WRITE of size 4 at [[FAULT]] by device thread (7,0,0) block (0,0,0) lane 7
  // CHECK-SAME: {{^}} (and 15 more threads of this kernel)
  // CHECK-NEXT: #0 histogram(unsigned int*, unsigned int*) {{.*}}atomic.cu:[[#@LINE+1]]:
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" : : "l"(bins + threadIdx.x % 8), "r"(2) : "memory");
}

int main() {
  unsigned *total, *bins;
  cudaMalloc(&total, sizeof *total);
  cudaMalloc(&bins, kBins * sizeof *bins);
  cudaMemset(total, 0, sizeof *total);
  cudaMemset(bins, 0, kBins * sizeof *bins);
  histogram<<<2, 64>>>(total, bins);
  // CHECK: [[FAULT]] is located 0 bytes after 28-byte region
  // CHECK-NEXT: allocated by host thread T0 here:
  // CHECK: in main {{.*}}atomic.cu:[[#@LINE-6]]:
  unsigned sum = 0, counts[kBins] = {};
  cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
  cudaMemcpy(counts, bins, sizeof counts, cudaMemcpyDeviceToHost);
  for (unsigned count : counts)
    if (count != 32)
      return 3;
  return sum != 128;
}
