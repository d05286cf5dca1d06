// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A histogram whose bin comes from the data: one value is larger than the last bin.
__global__ void histogram(const unsigned *data, unsigned *bins) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (5,0,0) block (0,0,0) lane 5{{$}}
  // CHECK: #2 histogram(unsigned int const*, unsigned int*) {{.*}}atomic.cu:[[#@LINE+1]]:
  atomicAdd(&bins[data[threadIdx.x]], 1u);
}

int main() {
  unsigned host[32];
  for (unsigned i = 0; i < 32; ++i)
    host[i] = i % 16;
#ifndef FIXED
  host[5] = 17;
#endif
  unsigned *data, *bins;
  cudaMalloc(&data, sizeof host);
  cudaMalloc(&bins, 16 * sizeof(unsigned));
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, 16 * sizeof(unsigned));
  histogram<<<1, 32>>>(data, bins);
  // CHECK: is located 4 bytes after 64-byte region
  unsigned first = 0;
  cudaMemcpy(&first, bins, sizeof first, cudaMemcpyDeviceToHost);
  cudaFree(data);
  cudaFree(bins);
  return first != 2;
}
