// The device heap: many threads make trees of nodes, and another kernel frees them; arrays of objects with destructors;
// a vector that grows; allocations passed from thread to thread through shared memory.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <new>

struct Tree {
  int key;
  Tree *left, *right;
};

struct Counted {
  int *counter;
  int filler[3];
  __device__ Counted() : counter(nullptr) {}
  __device__ ~Counted() {
    if (counter)
      atomicAdd(counter, 1);
  }
};

__global__ void grow(Tree **roots) {
  Tree **at = &roots[threadIdx.x];
  for (int i = 0; i < 10; ++i) {
    int key = (i * 7 + threadIdx.x) % 10;
    Tree **place = at;
    while (*place)
      place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    *place = new Tree{key, nullptr, nullptr};
  }
}

__device__ int cut(Tree *tree, int depth) {
  if (!tree || depth > 12)
    return 0;
  int total = tree->key + cut(tree->left, depth + 1) + cut(tree->right, depth + 1);
  delete tree;
  return total;
}

__global__ void fell(Tree **roots, int *sums) {
  sums[threadIdx.x] = cut(roots[threadIdx.x], 0);
}

__global__ void objects(int count, int *counter) {
  Counted *all = new Counted[count];
  for (int i = 0; i < count; ++i)
    all[i].counter = counter;
  delete[] all;
}

__global__ void growing(int count, int *out) {
  int capacity = 1, *values = static_cast<int *>(malloc(sizeof(int)));
  for (int i = 0; i < count; ++i) {
    if (i == capacity) {
      int *larger = static_cast<int *>(malloc(2 * capacity * sizeof(int)));
      memcpy(larger, values, capacity * sizeof(int));
      free(values);
      values = larger;
      capacity *= 2;
    }
    values[i] = i;
  }
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += values[i];
  out[threadIdx.x] = total;
  free(values);
  free(nullptr);
}

__global__ void handed_over(int *out) {
  __shared__ int *blocks[32];
  blocks[threadIdx.x] = static_cast<int *>(malloc(5));
  __syncthreads();
  int *mine = blocks[31 - threadIdx.x];
  *mine = threadIdx.x;
  reinterpret_cast<char *>(mine)[4] = 1;
  out[threadIdx.x] = *mine;
  free(mine);
}

int main() {
  Buffer<Tree *> roots(std::vector<Tree *>(32));
  Buffer<int> out(32), counter(std::vector<int>(1));
  grow<<<1, 32>>>(roots);
  fell<<<1, 32>>>(roots, out);
  EXPECT(out.host() == std::vector<int>(32, 45), "%d", out.host()[0]);
  objects<<<2, 3>>>(5, counter);
  EXPECT(counter.host()[0] == 30, "%d", counter.host()[0]);
  growing<<<1, 32>>>(100, out);
  EXPECT(out.host() == std::vector<int>(32, 4950), "%d", out.host()[0]);
  handed_over<<<1, 32>>>(out);
  EXPECT(out.host()[31] == 31, "%d", out.host()[31]);
  return passed();
}
