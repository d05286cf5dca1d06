/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Writes bytes in base64: three bytes become four letters.
// Stands for a table in constant memory, loops over bytes, and words that are packed from bytes.
#include "../program.h"

constexpr int kPerThread = 12;

__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Four letters, the first in the lowest byte.
__device__ unsigned encode_three(unsigned three) {
  unsigned word = 0;
  for (int i = 0; i < 4; i++)
    word |= (unsigned)letters[three >> (18 - 6 * i) & 63] << 8 * i;
  return word;
}

__device__ unsigned encode_rest(const unsigned char *bytes, int left) {
  unsigned three = 0;
  for (int i = 0; i < 3; i++)
    if (i < left)
      three |= bytes[i] << (16 - 8 * i);
  unsigned word = encode_three(three);
  for (int i = left + 1; i < 4; i++)
    word = (word & ~(0xffu << 8 * i)) | (unsigned)'=' << 8 * i;
  return word;
}

__device__ void encode_twelve(const unsigned *words, unsigned *out) {
  unsigned char bytes[kPerThread];
  for (int i = 0; i < kPerThread; i++)
    bytes[i] = (unsigned char)(words[i / 4] >> 8 * (i % 4));
  for (int i = 0; i < kPerThread / 3; i++)
    out[i] = encode_three(bytes[3 * i] << 16 | bytes[3 * i + 1] << 8 | bytes[3 * i + 2]);
}

__global__ void encode_base64(const unsigned char *in, unsigned *out, int length) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int start = idx * kPerThread, end = start + kPerThread;
  if (start >= length)
    return;
  if (end <= length) {
    encode_twelve((const unsigned *)(in + start), out + idx * 4);
    return;
  }
  for (int i = start; i < length; i += 3)
    out[i / 3] = encode_rest(in + i, length - i);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int length = program.size(20003, 192000001), words = (length + 2) / 3;
  auto make = [] __host__ __device__(size_t i) { return (unsigned char)scramble(i); };
  unsigned char *in = program.allocate_made<unsigned char>(length, make);
  unsigned *out = program.allocate<unsigned>(words);
  program.time([&] { encode_base64<<<divide_up(divide_up(length, kPerThread), 256), 256>>>(in, out, length); });
  const char *known = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  auto check = [&](size_t i) {
    int left = std::min(length - int(i) * 3, 3);
    unsigned a = make(3 * i), b = left > 1 ? make(3 * i + 1) : 0, c = left > 2 ? make(3 * i + 2) : 0;
    char wanted[4] = {known[a / 4], known[a % 4 * 16 + b / 16], left > 1 ? known[b % 16 * 4 + c / 64] : '=',
                      left > 2 ? known[c % 64] : '='};
    unsigned word = fetch(out + i);
    return memcmp(&word, wanted, 4) == 0;
  };
  return program.finish(program.verify(words, check));
}
