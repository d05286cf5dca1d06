// Functions that return the address of a module variable or of dynamic shared memory, or null.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 %s -o %t.O0
// RUN: %run %t.O0 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__device__ int table[64];

__device__ __noinline__ int *variable() {
  return table;
}
__device__ __noinline__ int *shared() {
  extern __shared__ int memory[];
  return memory;
}
__device__ __noinline__ int *chosen(bool wanted) {
  return wanted ? table : nullptr;
}
__device__ __noinline__ int *nothing() {
  return nullptr;
}

__global__ void use(int *out, bool wanted) {
  int *of_module = variable(), *of_block = shared();
  of_module[threadIdx.x] = threadIdx.x;
  of_block[threadIdx.x] = 2 * threadIdx.x;
  __syncthreads();
  int sum = of_module[63 - threadIdx.x] + of_block[threadIdx.x];
  if (int *more = chosen(wanted))
    sum += more[threadIdx.x];
  if (int *more = nothing())
    sum += *more;
  out[threadIdx.x] = sum;
}

int main() {
  Buffer<int> out(64);
  use<<<1, 64, 256>>>(out, true);
  EXPECT(out.host()[3] == 60 + 6 + 3, "%d", out.host()[3]);
  use<<<1, 64, 256>>>(out, false);
  EXPECT(out.host()[3] == 60 + 6, "%d", out.host()[3]);
  return passed();
}
