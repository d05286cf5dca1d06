/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A write beyond a local array.
#ifdef FIXED
constexpr int kCount = 16;
#else
constexpr int kCount = 17;
#endif

__global__ void fill(int *out) {
  int values[16];
  for (int i = 0; i < kCount; i++)
    values[i] = i * threadIdx.x; // BUG
  int sum = 0;
  for (int i = 0; i < 16; i++)
    sum += values[i];
  out[threadIdx.x] = sum;
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  fill<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
