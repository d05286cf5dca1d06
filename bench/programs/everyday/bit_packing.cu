/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Packs numbers of 13 bits into words of 32, and unpacks them.
// Stands for indices that are made by multiplication, division and remainder, and for numbers that straddle words.
#include "../program.h"

__device__ unsigned low_bits(int width) {
  return (1u << width) - 1;
}

// A thread makes one word, out of the numbers that reach into the word.
__global__ void pack(const unsigned short *numbers, unsigned *words, int count, int width, int word_count) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= word_count)
    return;
  int begin = w * 32, end = begin + 32;
  unsigned word = 0;
  for (int i = begin / width; i < count && i * width < end; i++) {
    unsigned number = numbers[i] & low_bits(width);
    int shift = i * width - begin;
    word |= shift >= 0 ? number << shift : number >> -shift;
  }
  words[w] = word;
}

__device__ unsigned extract(const unsigned *words, int index, int width) {
  int bit = index * width, word = bit >> 5, shift = bit & 31;
  unsigned number = words[word] >> shift;
  if (shift + width > 32)
    number |= words[word + 1] << (32 - shift);
  return number & low_bits(width);
}

__global__ void unpack(const unsigned *words, unsigned short *numbers, int count, int width) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    numbers[i] = (unsigned short)extract(words, i, width);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int width = 13;
  int count = program.size(9999, 64 << 20), word_count = divide_up(size_t(count) * width, 32);
  auto make = [] __host__ __device__(size_t i) { return (unsigned short)(scramble(i) % 8192); };
  unsigned short *numbers = program.allocate_made<unsigned short>(count, make);
  unsigned short *unpacked = program.allocate<unsigned short>(count);
  unsigned *words = program.allocate<unsigned>(word_count);
  program.time([&] {
    pack<<<divide_up(word_count, 256), 256>>>(numbers, words, count, width, word_count);
    unpack<<<std::min(divide_up(count, 256), 8192u), 256>>>(words, unpacked, count, width);
  });
  bool packed = program.verify(word_count, [&](size_t word) {
    unsigned wanted = 0;
    for (size_t bit = word * 32; bit < word * 32 + 32 && bit / width < size_t(count); bit++)
      wanted |= (make(bit / width) >> bit % width & 1u) << bit % 32;
    return fetch(words + word) == wanted;
  });
  return program.finish(packed && program.verify(count, [&](size_t i) { return fetch(unpacked + i) == make(i); }));
}
