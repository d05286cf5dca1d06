/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A write beyond memory of cudaMalloc, whatever the input is.
#ifdef FIXED
constexpr int kCount = 256;
#else
constexpr int kCount = 255;
#endif

__global__ void fill(int *out) {
  out[threadIdx.x] = 1; // BUG
}

int main() {
  int *out;
  cudaMalloc(&out, kCount * sizeof(int));
  fill<<<1, 256>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
