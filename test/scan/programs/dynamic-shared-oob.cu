/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A write beyond the dynamic shared memory of the launch.
#ifdef FIXED
constexpr int kBytes = 512;
#else
constexpr int kBytes = 500;
#endif

__global__ void reverse(int *data) {
  extern __shared__ int values[];
  values[127 - threadIdx.x] = data[threadIdx.x]; // BUG
  __syncthreads();
  data[threadIdx.x] = values[threadIdx.x % 100];
}

int main() {
  int *data;
  cudaMalloc(&data, 128 * sizeof(int));
  reverse<<<1, 128, kBytes>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
