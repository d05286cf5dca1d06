/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Hashes strings of several lengths, and counts the strings in each bucket of a hash table.
// Stands for words that are read byte by byte at unaligned offsets, in loops whose ends the data decide.
#include "../program.h"

struct Mixer {
  unsigned a, b, c;
};

__host__ __device__ unsigned rotate(unsigned x, int by) {
  return x << by | x >> (32 - by);
}

__host__ __device__ void mix(Mixer &mixer) {
  mixer.a = (mixer.a - mixer.c) ^ rotate(mixer.c, 5);
  mixer.c += mixer.b;
  mixer.b = (mixer.b - mixer.a) ^ rotate(mixer.a, 11);
  mixer.a += mixer.c;
  mixer.c = (mixer.c - mixer.b) ^ rotate(mixer.b, 18);
  mixer.b += mixer.a;
}

__host__ __device__ unsigned read_word(const unsigned char *bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (unsigned)bytes[3] << 24;
}

__host__ __device__ unsigned hash_bytes(const unsigned char *bytes, int length, unsigned seed) {
  Mixer mixer = {seed + length, seed ^ 0x6b43a9b5u, seed - 0x1f123bb5u};
  while (length >= 12) {
    mixer.a += read_word(bytes);
    mixer.b += read_word(bytes + 4);
    mixer.c += read_word(bytes + 8);
    mix(mixer);
    bytes += 12;
    length -= 12;
  }
  for (int i = 0; i < length; i++) {
    unsigned byte = (unsigned)bytes[i] << 8 * (i % 4);
    if (i < 4)
      mixer.a += byte;
    else if (i < 8)
      mixer.b += byte;
    else
      mixer.c += byte;
  }
  mix(mixer);
  mix(mixer);
  return mixer.c;
}

__global__ void hash_strings(const unsigned char *text, const int *offsets, unsigned *hashes, int *buckets, int count,
                             unsigned bucket_count, unsigned seed) {
  int tid = blockDim.x * blockIdx.x + threadIdx.x;
  if (tid < count) {
    int begin = offsets[tid], length = offsets[tid + 1] - begin;
    unsigned hash = hash_bytes(&text[begin], length, seed);
    hashes[tid] = hash;
    atomicAdd(buckets + hash % bucket_count, 1);
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int count = program.size(2000, 8 << 20), bucket_count = count / 2 + 1;
  std::vector<int> offsets(1);
  for (int i = 0; i < count; i++)
    offsets.push_back(offsets.back() + scramble(i) % 48);
  auto make = [] __host__ __device__(size_t i) { return (unsigned char)scramble(i + (1ull << 41)); };
  unsigned char *text = program.allocate_made<unsigned char>(offsets.back(), make);
  int *device_offsets = program.allocate_copy(offsets), *buckets = program.allocate<int>(bucket_count);
  unsigned *hashes = program.allocate<unsigned>(count), seed = 20;
  program.time([&] { REQUIRE(cudaMemset(buckets, 0, bucket_count * sizeof *buckets)); },
               [&] {
                 hash_strings<<<divide_up(count, 256), 256>>>(text, device_offsets, hashes, buckets, count,
                                                              bucket_count, seed);
               });
  std::vector<int> wanted(bucket_count);
  for (unsigned hash : copy_back(hashes, count))
    wanted[hash % bucket_count]++;
  bool counted = copy_back(buckets, bucket_count) == wanted;
  return program.finish(counted && program.verify(count, [&](size_t i) {
    std::vector<unsigned char> own;
    for (int at = offsets[i]; at < offsets[i + 1]; at++)
      own.push_back(make(at));
    return fetch(hashes + i) == hash_bytes(own.data(), own.size(), seed);
  }));
}
