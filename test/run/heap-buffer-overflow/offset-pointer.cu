// A self-relative pointer leads to another allocation. An access outside of that allocation is reported.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 %s -o %t.O2
// RUN: not %run %t.O2 2>&1 | FileCheck %s
// RUN: %gasan -O3 -fsanitize-gpu-address-launch-proof=off %s -o %t.O3
// RUN: not %run %t.O3 2>&1 | FileCheck %s
// RUN: %gasan -O0 -DFIXED %s -o %t.fixed.O0
// RUN: %run %t.fixed.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed.O2
// RUN: %run %t.fixed.O2 2>&1 >/dev/null | %silent
// RUN: %gasan -O3 -fsanitize-gpu-address-launch-proof=off -DFIXED %s -o %t.fixed.O3
// RUN: %run %t.fixed.O3 2>&1 >/dev/null | %silent
#include <cstddef>

struct Values {
  int count;
  ptrdiff_t distance; // from this member
  __host__ __device__ const int *get() const { return (const int *)((const char *)&distance + distance); }
};

__global__ void sum(const Values *values, int *out) {
  int total = 0;
#ifdef FIXED
  for (int i = 0; i < values->count; ++i)
#else
  for (int i = 0; i <= values->count; ++i)
#endif
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK-NEXT: READ of size 4 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
    // CHECK-NEXT: #0 sum(Values const*, int*) {{.*}}offset-pointer.cu:[[#@LINE+1]]:
    total += values->get()[i];
  *out = total;
}

int main() {
  Values *values;
  int *data, *out;
  cudaMalloc(&values, sizeof *values);
  cudaMalloc(&data, 20 * sizeof *data);
  cudaMalloc(&out, sizeof *out);
  cudaMemset(data, 0, 20 * sizeof *data);
  Values host = {20, (char *)data - (char *)&values->distance};
  cudaMemcpy(values, &host, sizeof host, cudaMemcpyHostToDevice);
  sum<<<1, 1>>>(values, out);
  // CHECK: is located 0 bytes after 80-byte region
  // CHECK: in main {{.*}}offset-pointer.cu:[[#@LINE-7]]:
  return cudaDeviceSynchronize();
}
