// 10,000 allocations and frees of random sizes from 1 B to 64 MiB. A kernel touches each chunk's first and last byte,
// and the host checks both before the free. The live memory is bounded, as in a program that works on a stream of data.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>%t.err | FileCheck %s && cat %t.err | %silent
// CHECK: 10000 allocations, 10000 frees, 0 wrong
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

__global__ void mark(unsigned char *bytes, size_t size, unsigned char value) {
  bytes[size - 1] = value ^ 0x55;
  bytes[0] = value;
}

__global__ void verify(const unsigned char *bytes, size_t size, unsigned char value, unsigned *wrong) {
  unsigned char last = size == 1 ? value : value ^ 0x55;
  if (bytes[0] != value || bytes[size - 1] != last)
    atomicAdd(wrong, 1u);
}

static uint64_t state = 88172645463325252ull;

static uint64_t next_random() { // xorshift64
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// Sizes are evenly spread over the powers of two from 1 B to 64 MiB.
static size_t random_size() {
  double exponent = next_random() % 1000000 / 1e6 * 26;
  size_t size = (size_t)std::exp2(exponent) + next_random() % 3;
  return size > (64u << 20) ? 64u << 20 : size;
}

struct Chunk {
  unsigned char *bytes;
  size_t size;
  unsigned char value;
};

int main() {
  const int total = 10000;
  const size_t most_live = (size_t)512 << 20;
  unsigned *wrong, host_wrong = 0;
  cudaMalloc(&wrong, sizeof *wrong);
  cudaMemset(wrong, 0, sizeof *wrong);
  std::vector<Chunk> live;
  size_t live_bytes = 0;
  int allocated = 0, freed = 0;
  while (freed < total) {
    bool full = live.size() == 200 || live_bytes > most_live || allocated == total;
    if (!full && (live.empty() || next_random() % 100 < 60)) {
      Chunk chunk = {nullptr, random_size(), (unsigned char)next_random()};
      if (allocated == 0 || allocated == 1)
        chunk.size = allocated ? (size_t)64 << 20 : 1;
      if (cudaMalloc(&chunk.bytes, chunk.size) != cudaSuccess)
        return 2;
      ++allocated;
      live_bytes += chunk.size;
      mark<<<1, 1>>>(chunk.bytes, chunk.size, chunk.value);
      live.push_back(chunk);
    } else {
      size_t which = next_random() % live.size();
      Chunk chunk = live[which];
      live[which] = live.back();
      live.pop_back();
      verify<<<1, 1>>>(chunk.bytes, chunk.size, chunk.value, wrong);
      if (cudaFree(chunk.bytes) != cudaSuccess)
        return 3;
      ++freed;
      live_bytes -= chunk.size;
    }
  }
  if (cudaMemcpy(&host_wrong, wrong, sizeof host_wrong, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 4;
  cudaFree(wrong);
  printf("%d allocations, %d frees, %u wrong\n", allocated, freed, host_wrong);
  return host_wrong != 0;
}
