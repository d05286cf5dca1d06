/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Rounds of the cellular automaton of rule 110, after ScoR. Correct: the cells form a ring.
#include <cstdlib>
#include <utility>

__global__ void step(const unsigned char *from, unsigned char *to, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells)
    return;
  int left = i == 0 ? cells - 1 : i - 1, right = i == cells - 1 ? 0 : i + 1;
  int pattern = (from[left] & 1) << 2 | (from[i] & 1) << 1 | (from[right] & 1);
  to[i] = 110 >> pattern & 1;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const int cells = atoi(argv[1]), rounds = atoi(argv[2]);
  if (cells < 1 || cells > 1 << 24)
    return 2;
  unsigned char *now, *next;
  cudaMalloc(&now, cells);
  cudaMalloc(&next, cells);
  cudaMemset(now, 0, cells);
  for (int i = 0; i < rounds; i++) {
    step<<<(cells + 255) / 256, 256>>>(now, next, cells);
    std::swap(now, next);
  }
  cudaDeviceSynchronize();
  cudaFree(now);
  cudaFree(next);
}
