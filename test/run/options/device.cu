// The option device: its values, the error for a bad value, and the name of the device with verbosity=1.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=device=abacus not %run %t 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %options=verbosity=1 %run %t 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: %options=device=cpu %run %t 2>&1 >/dev/null | %silent
// RUN: %options=device=auto %run %t 2>&1 >/dev/null | %silent
// RUN: %options=redzone=0 not %run %t 2>&1 | FileCheck %s --check-prefix=REDZONE
// BAD: gasan: ERROR: GASAN_OPTIONS=device=abacus is not one of auto, cuda or cpu
// NAME: kernels run on the {{cpu|cuda}} device
// NAME: 1 kernels and {{[0-9]+}} sites instrumented
// REDZONE: gasan: ERROR: GASAN_OPTIONS=redzone=0 is out of range (1 to 1073741824)
__global__ void store(int *values, int i) {
  values[i] = 1;
}

int main() {
  int *values;
  cudaMalloc(&values, 100);
  store<<<1, 1>>>(values, 0);
  cudaError_t error = cudaDeviceSynchronize();
  store<<<1, 1>>>(values, 24);
  int last = 0;
  cudaMemcpy(&last, values + 24, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return error != cudaSuccess || last != 1 ? 4 : 0;
}
