// There are 2^k - 1 ids. While all are in use, cudaMalloc fails as without memory. The pool reuses a freed id.
//
// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles:handle_bits=4 %run %t 2>&1 >/dev/null | %silent
#include "../../cpu/inputs/self_check.h"

__global__ void add(int *values) {
  atomicAdd(values, 1);
}

int main() {
  int *chunks[15], *more = nullptr;
  for (int *&chunk : chunks) {
    CUDA(cudaMalloc(&chunk, 100));
    CUDA(cudaMemset(chunk, 0, 100));
  }
  EXPECT(cudaMalloc(&more, 100) == cudaErrorMemoryAllocation, "a sixteenth chunk");
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation, "last error");
  for (int round = 0; round < 100; ++round) {
    int which = round % 15, value = -1;
    add<<<1, 32>>>(chunks[which]);
    CUDA(cudaMemcpy(&value, chunks[which], sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 32, "%d: %d", round, value);
    CUDA(cudaFree(chunks[which]));
    CUDA(cudaMalloc(&chunks[which], 100 + round * 1000));
    CUDA(cudaMemset(chunks[which], 0, 100));
  }
  return passed();
}
