// The redzones of a large chunk are addresses without memory: for 1 GiB with redzones of 1 GiB, only 1 GiB is mapped.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s
// RUN: %options=print_stats=1:redzone_percent=100 %run %t 2>&1 | FileCheck %s
// RUN: %options=print_stats=1:redzone_percent=10:redzone=1048576 %run %t 2>&1 | FileCheck %s
// CHECK: Stats:   pool: peak 1073741824 bytes live, 1073741824 bytes mapped,
// RUN: %options=redzone_percent=100 not %run %t far 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: ERROR: AddressSanitizer: heap-buffer-overflow
// FAR: #0 touch(char*, unsigned long) {{.*}}virtual-redzones.cu:[[#@LINE+3]]:
// FAR: is located 1000000000 bytes after 1073741824-byte region
__global__ void touch(char *bytes, size_t index) {
  bytes[index] = 1;
}

int main(int count, char **) {
  const size_t size = 1u << 30;
  char *bytes;
  if (cudaMalloc(&bytes, size) != cudaSuccess)
    return 2;
  touch<<<1, 1>>>(bytes, size - 1);
  if (count > 1)
    touch<<<1, 1>>>(bytes, size + 1000000000);
  return cudaDeviceSynchronize() != cudaSuccess;
}
