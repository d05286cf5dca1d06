/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Not from Rodinia: n chunks of 1 to 64 KiB. The chunks share pages, so that their redzones take memory: the worst
// case.
#include "footprint.h"

// Each chunk holds its own address and its number.
__global__ void mark(unsigned char **chunks, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    auto *words = reinterpret_cast<unsigned long long *>(chunks[i]);
    words[0] = reinterpret_cast<unsigned long long>(words);
    words[1] = i;
  }
}

int main(int argc, char **argv) {
  Footprint run("chunks", argc, argv, 100, 1000, 12000);
  std::vector<unsigned char *> chunks;
  for (int i = 0; i < run.n; i++)
    chunks.push_back(static_cast<unsigned char *>(run.allocate_uncounted(1024 + scramble(i) % (63 << 10))));
  unsigned char **on_device = run.allocate_copy(chunks);
  mark<<<divide_up(run.n, 256), 256>>>(on_device, run.n);
  run.launched();
  return run.finish(holds_for_samples(run.n, [&](size_t i) {
    auto *words = reinterpret_cast<unsigned long long *>(chunks[i]);
    return fetch(words) == reinterpret_cast<unsigned long long>(words) && fetch(words + 1) == i;
  }));
}
