// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-pool=handles -o %t.fixed
// RUN: %options=pool=handles %run %t.fixed 2>&1 >/dev/null | %silent
// A pointer from device memory, far beyond its chunk and beyond any redzone: the handle still identifies the chunk. The
// report shows the handle, which is the program's pointer value.
struct Work {
  int *values;
  long index;
};

__global__ void write(const Work *work) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address 0x[[HANDLE:[0-9a-f]+]]
  // CHECK-NEXT: WRITE of size 4 at 0x[[HANDLE]] by device thread (0,0,0)
  // CHECK-NEXT: #0 write(Work const*) {{.*}}overflow.cu:[[#@LINE+1]]:
  work->values[work->index] = 1;
}

int main() {
  Work work = {nullptr, 0}, *device_work;
  int *other;
  cudaMalloc(&work.values, 400);
  cudaMalloc(&other, 1 << 20);
#ifndef FIXED
  work.index = 5000;
#endif
  cudaMalloc(&device_work, sizeof work);
  cudaMemcpy(device_work, &work, sizeof work, cudaMemcpyHostToDevice);
  write<<<1, 1>>>(device_work);
  // CHECK: 0x[[HANDLE]] is located 19600 bytes after 400-byte region
  // CHECK-NEXT: allocated by host thread T0 here:
  // CHECK: in main {{.*}}overflow.cu:[[#@LINE-10]]:
  return cudaDeviceSynchronize() != cudaSuccess;
}
