/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Not from Rodinia: n rounds that allocate 64 chunks of 16 KiB, use them and free them. Without gasan every round gets
// the memory of the round before. The quarantine prevents that, for up to quarantine_size_mb.
#include "footprint.h"

constexpr int kChunks = 64, kWords = 4096;

__global__ void write_round(unsigned *words, unsigned round) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords)
    words[i] = round + i;
}

int main(int argc, char **argv) {
  Footprint run("turnover", argc, argv, 3, 50, 1000);
  bool right = true;
  for (int round = 0; round < run.n; round++) {
    unsigned *chunks[kChunks];
    for (unsigned *&chunk : chunks) {
      chunk = static_cast<unsigned *>(run.allocate_uncounted(kWords * sizeof *chunk));
      write_round<<<divide_up(kWords, 256), 256>>>(chunk, round);
    }
    run.launched();
    for (unsigned *chunk : chunks)
      right &= fetch(chunk + kWords - 1) == unsigned(round) + kWords - 1;
    run.release_all();
  }
  return run.finish(right);
}
