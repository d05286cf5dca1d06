/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
__global__ void reverse(const int *from, int *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[n - i];
}

void reverse_on_device(const int *from, int *to, int n) {
  reverse<<<(n + 127) / 128, 128>>>(from, to, n);
}
