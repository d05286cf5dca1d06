// One piece of memory with several types: reused shared memory, dynamic shared memory carved into arrays that overlap
// on purpose, unions, bytes of words, words of bytes.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

union Word {
  unsigned whole;
  unsigned short halves[2];
  unsigned char bytes[4];
};

__global__ void views(unsigned *out, int count) {
  extern __shared__ unsigned char region[];
  unsigned *words = reinterpret_cast<unsigned *>(region);
  unsigned short *halves = reinterpret_cast<unsigned short *>(region + 128);
  uint2 *pairs = reinterpret_cast<uint2 *>(region);
  words[threadIdx.x] = threadIdx.x; // 64 words: they overlap the halves
  __syncthreads();
  unsigned half = halves[threadIdx.x * 2 % 64];
  uint2 pair = pairs[threadIdx.x % 32];
  unsigned byte = region[threadIdx.x * 4];
  __syncthreads();
  double *doubles = reinterpret_cast<double *>(region);
  if (threadIdx.x < 32)
    doubles[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Word word;
  word.whole = pair.x + pair.y;
  out[threadIdx.x] = half + byte + word.bytes[count & 3] + word.halves[count & 1] + unsigned(doubles[threadIdx.x % 32]);
}

__global__ void reused(int *out) {
  __shared__ union {
    int keys[128];
    float sums[64];
    char text[512];
  } shared;
  shared.keys[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int key = shared.keys[127 - threadIdx.x];
  __syncthreads();
  shared.text[threadIdx.x * 4] = key;
  __syncthreads();
  out[threadIdx.x] = shared.text[threadIdx.x * 4] + key;
}

__global__ void bytes_of(const unsigned *words, int count, unsigned *sum) {
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(words);
  for (int i = 0; i < count * 4; ++i)
    *sum += bytes[i];
  const ulonglong2 *wide = reinterpret_cast<const ulonglong2 *>(words);
  *sum += unsigned(wide[count / 4 - 1].y >> 32);
}

int main() {
  Buffer<unsigned> out(64);
  views<<<1, 64, 256>>>(out, 0);
  std::vector<unsigned> got = out.host();
  for (unsigned i = 0; i < 64; ++i) {
    unsigned pair = (i % 32) * 4 + 1, half = 32 + i % 32;
    EXPECT(got[i] == half + i + (pair & 255) + pair + i % 32, "%u: %u", i, got[i]);
  }
  Buffer<int> keys(128);
  reused<<<1, 128>>>(keys);
  EXPECT(keys.host()[1] == 126 * 2, "%d", keys.host()[1]);
  Buffer<unsigned> words(std::vector<unsigned>(16, 0x01020304)), sum(std::vector<unsigned>(1));
  bytes_of<<<1, 1>>>(words, 16, sum);
  EXPECT(sum.host()[0] == 160 + 0x01020304, "%x", sum.host()[0]);
  return passed();
}
