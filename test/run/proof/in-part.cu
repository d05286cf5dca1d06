// RUN: %gasan -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-launch-proof=on -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %options=launch_proof=0 %run %t 2>&1 >/dev/null | %silent
// RUN: not %run %t guarded 2>&1 | FileCheck %s --check-prefix=GUARDED
// RUN: %options=launch_proof=0 not %run %t guarded 2>&1 | FileCheck %s --check-prefix=GUARDED
// RUN: not %run %t other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %options=launch_proof=0 not %run %t other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %run %t null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: %options=launch_proof=0 not %run %t null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %options=launch_proof=0 not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// A kernel with one access that cannot be proven. Its bounded variant skips the checks of the other accesses.
#include <cstdio>
#include <cstring>

// i * i < 1000 gives no interval for i.
__global__ void fill(int *squares, int *all, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    all[i] = i;
  if (i * i < count)
    squares[i] = i;
}

int main(int argc, char **arguments) {
  // STATS: Stats: launch proof: 1 of 2 launches proven, 1 in part, by 2 evaluations; 0 of 1 kernels in every launch
  // STATS: Stats:   fill(int*, int*, int): 1 launches proven, 1 in part, 0 not; the latest (1 of 2 claims hold):
  // STATS-SAME: {{^}} {{.*}}in-part.cu:[[#@LINE-6]]:16 may touch bytes 0 to 4095 of 128 bytes (argument 1)
  const char *wanted = argc > 1 ? arguments[1] : "";
  int *squares, *all, *large;
  cudaMalloc(&squares, 32 * sizeof(int)); // 31 * 31 = 961
  cudaMalloc(&all, 1000 * sizeof(int));
  cudaMalloc(&large, 1024 * sizeof(int));
  fill<<<4, 256>>>(large, all, 1000);
  // GUARDED: ERROR: AddressSanitizer: heap-buffer-overflow
  // GUARDED: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (32,0,0) block (0,0,0)
  // GUARDED-NEXT: #0 fill(int*, int*, int) {{.*}}in-part.cu:[[#@LINE-15]]:
  // GUARDED: located 0 bytes after 128-byte region
  // OTHER: ERROR: AddressSanitizer: heap-buffer-overflow
  // OTHER: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (232,0,0) block (3,0,0)
  // OTHER-NEXT: #0 fill(int*, int*, int) {{.*}}in-part.cu:[[#@LINE-21]]:
  // OTHER: located 0 bytes after 4000-byte region
  // NULL: ERROR: AddressSanitizer: null-address
  // NULL: #0 fill(int*, int*, int) {{.*}}in-part.cu:[[#@LINE-22]]:
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED: #0 fill(int*, int*, int) {{.*}}in-part.cu:[[#@LINE-24]]:
  // FREED: located 0 bytes inside of 128-byte region
  if (!strcmp(wanted, "guarded"))
    fill<<<4, 256>>>(squares, large, 1025);
  else if (!strcmp(wanted, "other"))
    fill<<<4, 256>>>(squares, all, 1001);
  else if (!strcmp(wanted, "null"))
    fill<<<4, 256>>>(nullptr, all, 1000);
  else if (!strcmp(wanted, "freed"))
    cudaFree(squares);
  fill<<<4, 256>>>(squares, all, 1000);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 3;
  int last = 0;
  if (cudaMemcpy(&last, squares + 31, sizeof last, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 2;
  return last != 31;
}
