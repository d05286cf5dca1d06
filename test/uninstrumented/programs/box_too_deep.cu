/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A 3D set and a 3D copy; with an argument, the copy has a slice too many.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: of slice 4
#include <cstdio>
#include <vector>
int main(int argc, char **argv) {
  cudaPitchedPtr box;
  std::vector<char> host(100 * 10 * 5, 3);
  cudaMalloc3D(&box, make_cudaExtent(100, 10, 4));
  cudaMemset3D(box, 9, make_cudaExtent(100, 10, 4));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), 100, 100, 10);
  copy.dstPtr = box;
  copy.extent = make_cudaExtent(100, 10, 4 + (argc > 1));
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  char last;
  cudaMemcpy(&last, (char *)box.ptr + (3 * 10 + 9) * box.pitch + 99, 1, cudaMemcpyDeviceToHost);
  printf("%d\n", last);
  cudaFree(box.ptr);
}
