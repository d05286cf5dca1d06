// A 3D copy whose last row leaves the allocation. The report gives the row and the slice.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
int main() {
  static char host[3 * 4 * 100];
  cudaPitchedPtr box;
  cudaMalloc3D(&box, make_cudaExtent(100, 4, 3));
  char *end = (char *)box.ptr + 12 * box.pitch;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, 100, 100, 4);
  copy.dstPtr = box;
  copy.extent = make_cudaExtent(100, 4, 3);
#ifndef FIXED
  copy.dstPtr.ptr = (char *)box.ptr + box.pitch; // the last row of the last slice is beyond the end
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 100 at {{0x[0-9a-f]+}} by cudaMemcpy3D called by host thread T0:
  // CHECK: in main {{.*}}three-dimensions.cu:[[#@LINE+5]]:
  // CHECK: 0x{{[0-9a-f]+}} is byte 0 of row 3 of slice 2 (counted from 0)
  // CHECK-NEXT: is located 0 bytes after
#endif
  copy.kind = cudaMemcpyHostToDevice;
  cudaError_t error = cudaMemcpy3D(&copy);
  cudaFree(end - 12 * box.pitch);
  return error != cudaSuccess;
}
