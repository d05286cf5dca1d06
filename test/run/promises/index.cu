// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// An index of 2^62, times the element's size, wraps to an address in the array. The check compares the index. Such an
// address is aligned, and no misaligned access.
#ifdef FIXED
constexpr long kIndex = 1;
#else
constexpr long kIndex = (1l << 62) + 1;
#endif

__global__ void add(int *values, long index, const long *from) {
  const long other = *from; // the launch proof does not know it
  int *value = other & 1 ? values + index : values + other;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: READ of size 4
  // CHECK-NEXT: #0 add(int*, long, long const*) {{.*}}index.cu:[[#@LINE+1]]:
  *value += 2;
  // CHECK: 128-byte region
}

int main() {
  int *values;
  long *from;
  const long one = 1;
  cudaMalloc(&values, 128);
  cudaMalloc(&from, sizeof one);
  cudaMemcpy(from, &one, sizeof one, cudaMemcpyHostToDevice);
  add<<<1, 1>>>(values, kIndex, from);
  return cudaDeviceSynchronize() != cudaSuccess;
}
