// x of a surface access counts bytes and must be a multiple of the access's size, in every boundary mode. PTX does not
// define other accesses.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t trap 2>&1 | FileCheck %s --check-prefix=TRAP
// RUN: not %run %t zero 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed trap 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed zero 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
const int scale = sizeof(float);
#else
const int scale = 1;
#endif

// TRAP: ERROR: AddressSanitizer: misaligned-access on {{cpu|cuda}} device 0 surface object 0x
// TRAP-NEXT: READ of size 4 at x=1 y=0 by device thread (1,0,0) block (0,0,0) lane 1
// TRAP-SAME: {{^}} (and 11 more threads of this kernel)
// TRAP: #{{[0-9]+}} trap(unsigned long long, float*) {{.*}}misaligned.cu:[[#@LINE+3]]:
// TRAP: x=1 is not a multiple of 4: x counts bytes
__global__ void trap(cudaSurfaceObject_t surface, float *out) {
  out[threadIdx.x] = surf2Dread<float>(surface, threadIdx.x * scale, 0);
}

// ZERO: ERROR: AddressSanitizer: misaligned-access on {{cpu|cuda}} device 0 surface object 0x
// ZERO-NEXT: WRITE of size 4 at x=1 y=0 by device thread (1,0,0)
// ZERO: #{{[0-9]+}} zero(unsigned long long) {{.*}}misaligned.cu:[[#@LINE+2]]:
__global__ void zero(cudaSurfaceObject_t surface) {
  surf2Dwrite(1.0f, surface, threadIdx.x * scale, 0, cudaBoundaryModeZero);
}

int main(int, char **arguments) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource = {};
  cudaSurfaceObject_t surface;
  float *out;
  cudaMalloc(&out, 16 * sizeof(float));
  resource.resType = cudaResourceTypeArray;
  cudaMallocArray(&resource.res.array.array, &format, 16, 4, cudaArraySurfaceLoadStore);
  cudaCreateSurfaceObject(&surface, &resource);
  if (!strcmp(arguments[1], "trap"))
    trap<<<1, 16>>>(surface, out);
  else
    zero<<<1, 16>>>(surface);
  return cudaDeviceSynchronize() != cudaSuccess;
}
