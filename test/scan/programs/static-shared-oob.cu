/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A write beyond a shared array of fixed size.
#ifdef FIXED
constexpr int kCount = 128;
#else
constexpr int kCount = 127;
#endif

__global__ void reverse(int *data) {
  __shared__ int values[kCount];
  values[127 - threadIdx.x] = data[threadIdx.x]; // BUG
  __syncthreads();
  data[threadIdx.x] = values[threadIdx.x % kCount];
}

int main() {
  int *data;
  cudaMalloc(&data, 128 * sizeof(int));
  reverse<<<1, 128>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
