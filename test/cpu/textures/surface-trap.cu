// A surface access outside of the array traps in the default boundary mode: the kernel fails, and every later call
// returns the error. This code has no checks, which would report the access first.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=halt_on_error=0 %run %t read | %same
// RUN: %options=halt_on_error=0 %run %t write | %same.1
#include "../inputs/sampling.h"

__attribute__((no_sanitize("address"))) __global__ void access(cudaSurfaceObject_t surface, bool write, int x,
                                                               int *out) {
  if (write)
    surf2Dwrite(1, surface, x * int(sizeof(int)), 0);
  else
    *out = surf2Dread<int>(surface, x * int(sizeof(int)), 0);
}

int main(int argc, char **argv) {
  bool write = argc > 1 && strcmp(argv[1], "write") == 0;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CUDA(cudaMallocArray(&array, &channels, 16, 4, cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t surface = surfaceOf(array);
  int *out;
  CUDA(cudaMalloc(&out, sizeof(int)));
  access<<<1, 1>>>(surface, write, 15, out);
  CUDA(cudaDeviceSynchronize());
  puts("inside");
  access<<<1, 1>>>(surface, write, 16, out);
  EXPECT(cudaDeviceSynchronize() != cudaSuccess, "the kernel did not fail");
  EXPECT(cudaMemset(out, 0, sizeof(int)) != cudaSuccess, "the error did not stay");
  puts("failed");
  return passed();
}
