// An access of more bytes at an address where an access of fewer bytes, with the same alignment, is checked before.
// Only the wider one is out of bounds.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
struct __attribute__((packed, aligned(4))) Wide {
  long long number;
};

__global__ void read(const int *numbers, int at, long long *sum) {
  int first = *const_cast<const volatile int *>(numbers + at);
  if (first == 0)
    __threadfence_block();
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: READ of size 8
  // CHECK-NEXT: #0 read(int const*, int, long long*) {{.*}}repeated-wider.cu:[[#@LINE+1]]:
  *sum = first + reinterpret_cast<const volatile Wide *>(numbers + at)->number;
  // CHECK: is located 0 bytes after 404-byte region
}

int main() {
  int *numbers;
  long long *sum;
  cudaMalloc(&numbers, 404);
  cudaMalloc(&sum, sizeof *sum);
  cudaMemset(numbers, 0, 404);
#ifdef FIXED
  read<<<1, 1>>>(numbers, 99, sum);
#else
  read<<<1, 1>>>(numbers, 100, sum);
#endif
  return cudaDeviceSynchronize() != cudaSuccess;
}
