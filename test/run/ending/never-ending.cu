// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t poll 2>&1 | FileCheck %s
// RUN: not %run %t compute 2>&1 | FileCheck %s
// RUN: not %run %t barrier 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed poll 2>&1 >/dev/null | %silent
// With halt_on_error=1 the process ends after the report, although the kernel never ends: its other threads poll,
// compute or meet at barriers for ever.
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: WRITE of size 4 {{.*}} by device thread (9,0,0) block (0,0,0)
// CHECK-NEXT: #0 run(int*, int volatile*, char) {{.*}}never-ending.cu:[[#@LINE+10]]:
// CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow
// CHECK: ABORTING

__global__ void run(int *cells, volatile int *flag, char how) {
  const int t = threadIdx.x;
#ifdef FIXED
  cells[t] = t;
  *flag = 1;
#else
  cells[t == 9 ? 77 : t] = t;
#endif
  if (how == 'p')
    while (*flag == 0) {
    }
  else if (how == 'c' && t >= 32) // lanes that never wait may starve the other lanes of their warp
    for (unsigned i = 1; i; i += 2)
      asm volatile("" ::"r"(i));
  else if (how == 'b')
    while (__syncthreads_or(*flag) == 0) {
    }
}

int main(int argc, char **argv) {
  int *cells, *flag;
  cudaMalloc(&cells, 64 * sizeof(int));
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  run<<<2, 64>>>(cells, flag, argv[1][0]);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(cells);
  cudaFree(flag);
  return error != cudaSuccess;
}
