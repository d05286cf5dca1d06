// Memory that is freed and reused: the same sizes many times, other sizes in the place of old ones, stale pointers
// without an access, allocations that grow by copies, and a program's own pool inside of one chunk.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void mark(int *values, int count, int mark) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    values[i] = mark;
}

__global__ void count_marks(int *const *kept, int which, int count, int mark, int *result) {
  if (threadIdx.x < count && kept[which][threadIdx.x] == mark)
    atomicAdd(result, 1);
}

struct Own { // first-fit blocks of 64 bytes in one chunk
  char *memory;
  unsigned used;
  __device__ int *take() {
    for (int i = 0; i < 32; ++i)
      if (!(atomicOr(&used, 1u << i) >> i & 1))
        return reinterpret_cast<int *>(memory + i * 64);
    return nullptr;
  }
  __device__ void give(int *block) { atomicAnd(&used, ~(1u << (reinterpret_cast<char *>(block) - memory) / 64)); }
};

__global__ void own_pool(Own *own, int *result) {
  for (int round = 0; round < 5; ++round) {
    int *block = own->take();
    for (int i = 0; i < 16; ++i)
      block[i] = round + threadIdx.x;
    atomicAdd(result, block[15] == round + int(threadIdx.x));
    own->give(block);
  }
}

int main() {
  Buffer<int> result(std::vector<int>(1));
  Random random;
  std::vector<int *> kept(64);
  std::vector<int> sizes(64);
  for (int round = 0; round < 600; ++round) {
    int which = random.below(64);
    CUDA(cudaFree(kept[which]));
    sizes[which] = 1 + random.below(round % 50 == 0 ? 1 << 20 : 3000);
    CUDA(cudaMalloc(&kept[which], sizes[which] * sizeof(int)));
    mark<<<1, 32>>>(kept[which], sizes[which], which);
  }
  Buffer<int *> table(kept); // some of these are null
  int expected = 0;
  for (int i = 0; i < 64; ++i)
    if (kept[i]) {
      count_marks<<<1, 32>>>(table, i, sizes[i], i, result);
      expected += sizes[i] < 32 ? sizes[i] : 32;
    }
  EXPECT(result.host()[0] == expected, "%d, not %d", result.host()[0], expected);
  for (int *pointer : kept)
    CUDA(cudaFree(pointer));

  Buffer<char> memory(32 * 64);
  Buffer<Own> own(std::vector<Own>{{memory, 0}});
  CUDA(cudaMemset(result, 0, sizeof(int)));
  own_pool<<<1, 32>>>(own, result);
  EXPECT(result.host()[0] == 160, "%d", result.host()[0]);
  return passed();
}
