/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Linked lists through memory in a random order: each node holds the next one's address.
#include "../program.h"

struct Node {
  Node *next;
  unsigned long long value;
};

// A permutation of the numbers below a power of two.
__host__ __device__ static unsigned shuffle(unsigned i, unsigned mask) {
  return (i * 2654435761u + 12345) & mask;
}

__global__ void link(Node *nodes, unsigned mask) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= mask)
    nodes[shuffle(i, mask)] = Node{&nodes[shuffle(i + 1, mask)], scramble(i)};
}

__global__ void walk(Node *nodes, unsigned mask, unsigned long long *sums, unsigned lists, int hops) {
  unsigned list = blockIdx.x * blockDim.x + threadIdx.x;
  if (list >= lists)
    return;
  const Node *node = &nodes[shuffle(list * hops, mask)];
  unsigned long long sum = 0;
  for (int hop = 0; hop < hops; hop++) {
    sum += node->value;
    node = node->next;
  }
  sums[list] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(1 << 12, 1 << 24), mask = count - 1, lists = count / 64;
  const int hops = 64;
  Node *nodes = program.allocate<Node>(count);
  unsigned long long *sums = program.allocate<unsigned long long>(lists);
  link<<<divide_up(count, 256), 256>>>(nodes, mask);
  program.time([&] { walk<<<divide_up(lists, 128), 128>>>(nodes, mask, sums, lists, hops); });
  return program.finish(program.verify(lists, [&](size_t list) {
    unsigned long long sum = 0;
    for (int hop = 0; hop < hops; hop++)
      sum += scramble(list * hops + hop);
    return fetch(sums + list) == sum;
  }));
}
