// Lists whose nodes are chunks with pointers to each other. The host builds one, a kernel reverses one, and an array
// holds one whose links are XORs of two addresses.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

struct Node {
  int value;
  Node *next;
};

__global__ void sum(const Node *head, int *result) {
  int total = 0;
  for (const Node *node = head; node; node = node->next)
    total = total * 3 + node->value;
  *result = total;
}

__global__ void reverse(Node **head) {
  Node *previous = nullptr;
  for (Node *node = *head; node;) {
    Node *next = node->next;
    node->next = previous;
    previous = node;
    node = next;
  }
  *head = previous;
}

struct Both {
  int value;
  uintptr_t links; // previous ^ next
};

__global__ void link_both(Both *nodes, int count) {
  for (int i = 0; i < count; ++i) {
    uintptr_t previous = i ? reinterpret_cast<uintptr_t>(&nodes[i - 1]) : 0;
    uintptr_t next = i + 1 < count ? reinterpret_cast<uintptr_t>(&nodes[i + 1]) : 0;
    nodes[i] = {i, previous ^ next};
  }
}

__global__ void walk_back(const Both *last, int *result) {
  uintptr_t came_from = 0, at = reinterpret_cast<uintptr_t>(last);
  int total = 0;
  while (at) {
    const Both *node = reinterpret_cast<const Both *>(at);
    total = total * 3 + node->value;
    uintptr_t next = node->links ^ came_from;
    came_from = at;
    at = next;
  }
  *result = total;
}

int main() {
  const int count = 40;
  std::vector<Node *> nodes(count);
  for (Node *&node : nodes)
    CUDA(cudaMalloc(&node, sizeof(Node)));
  int forwards = 0, backwards = 0;
  for (int i = 0; i < count; ++i) {
    Node node = {i, i + 1 < count ? nodes[i + 1] : nullptr};
    CUDA(cudaMemcpy(nodes[i], &node, sizeof node, cudaMemcpyHostToDevice));
    forwards = int(unsigned(forwards) * 3 + i);
    backwards = int(unsigned(backwards) * 3 + count - 1 - i);
  }
  Buffer<int> result(1);
  sum<<<1, 1>>>(nodes[0], result);
  EXPECT(result.host()[0] == forwards, "%d", result.host()[0]);
  Buffer<Node *> head({nodes[0]});
  reverse<<<1, 1>>>(head);
  sum<<<1, 1>>>(head.host()[0], result);
  EXPECT(result.host()[0] == backwards, "%d", result.host()[0]);
  Buffer<Both> both(count);
  link_both<<<1, 1>>>(both, count);
  walk_back<<<1, 1>>>(both + (count - 1), result);
  EXPECT(result.host()[0] == backwards, "%d", result.host()[0]);
  for (Node *node : nodes)
    CUDA(cudaFree(node));
  return passed();
}
