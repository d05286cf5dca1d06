/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// 100,000 chunks of 64 to 1,024 bytes, each read by one thread through a table of pointers.
#include "../programs/program.h"

constexpr int kChunks = 100000, kWords = 8;

__device__ unsigned pick(unsigned i, bool scattered) {
  return scattered ? scramble(i) % kChunks : i % kChunks;
}

__global__ void fill_chunks(unsigned *const *chunks) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kChunks)
    for (unsigned word = 0; word < kWords; word++)
      chunks[i][word] = scramble(i * kWords + word);
}

__global__ void sum_chunks(unsigned *const *chunks, unsigned *sums, unsigned count, bool scattered) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const unsigned *chunk = chunks[pick(i, scattered)];
  unsigned sum = 0;
  for (unsigned word = 0; word < kWords; word++)
    sum += chunk[word];
  sums[i] = sum;
}

static unsigned expected(unsigned i, bool scattered) {
  const unsigned chunk = scattered ? scramble(i) % kChunks : i % kChunks;
  unsigned sum = 0;
  for (unsigned word = 0; word < kWords; word++)
    sum += scramble(chunk * kWords + word);
  return sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  const unsigned count = program.size(4096, 1 << 22);
  std::vector<unsigned *> chunks;
  for (unsigned i = 0; i < kChunks; i++)
    chunks.push_back(program.allocate<unsigned>(16 + scramble(i) % 241));
  unsigned **table = program.allocate_copy(chunks), *near = program.allocate<unsigned>(count),
           *far = program.allocate<unsigned>(count);
  fill_chunks<<<divide_up(kChunks, 256), 256>>>(table);
  program.time([&] {
    sum_chunks<<<divide_up(count, 256), 256>>>(table, near, count, false);
    sum_chunks<<<divide_up(count, 256), 256>>>(table, far, count, true);
  });
  return program.finish(program.verify(
      count, [&](size_t i) { return fetch(near + i) == expected(i, false) && fetch(far + i) == expected(i, true); }));
}
