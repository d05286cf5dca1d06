// Stores through pointers that the analysis has lost: they may change an index, so the access is not proven.
// RUN: %verdicts -w %s | FileCheck %s
// RUN: %verdicts -w -DFIXED %s | FileCheck %s --check-prefix=FIXED
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef FIXED // the same pointers, without the stores
#define STORE(...) (void)0
#else
#define STORE(...) __VA_ARGS__
#endif

struct Node {
  Node *next;
  int index;
};

__global__ void in_list(int *out, int index) {
  // CHECK: lost.cu:[[@LINE+2]]:14: write in in_list(int*, int): unknown
  // FIXED: lost.cu:[[@LINE+1]]:14: write in in_list(int*, int): proven
  out[index] = 1;
}

__global__ void in_vector(int *out, int index) {
  // CHECK: lost.cu:[[@LINE+2]]:14: write in in_vector(int*, int): unknown
  // FIXED: lost.cu:[[@LINE+1]]:14: write in in_vector(int*, int): proven
  out[index] = 1;
}

__global__ void by_number(int *out, int index) {
  // CHECK: lost.cu:[[@LINE+2]]:14: write in by_number(int*, int): unknown
  // FIXED: lost.cu:[[@LINE+1]]:14: write in by_number(int*, int): proven
  out[index] = 1;
}

__global__ void by_distance(int *out, int index) {
  // CHECK: lost.cu:[[@LINE+2]]:14: write in by_distance(int*, int): unknown
  // FIXED: lost.cu:[[@LINE+1]]:14: write in by_distance(int*, int): proven
  out[index] = 1;
}

__global__ void change(Node *head, int rounds) {
  Node *last = head;
  for (int i = 0; i < rounds; i++)
    last = last->next;
  STORE(last->index = 1000);
}

__global__ void on_device(int *out, const Node *first) {
  // CHECK: lost.cu:[[@LINE+2]]:21: write in on_device(int*, Node const*): unknown
  // FIXED: lost.cu:[[@LINE+1]]:21: write in on_device(int*, Node const*): proven
  out[first->index] = 1;
}

static Node *copyNode(Node from) {
  Node *to;
  cudaMalloc(&to, sizeof from);
  cudaMemcpy(to, &from, sizeof from, cudaMemcpyHostToDevice);
  return to;
}

int main(int argc, char **argv) {
  int *out;
  cudaMalloc(&out, 64);

  Node a = {nullptr, 0}, b = {&a, 0}, c = {&b, 0}, d = {&c, 0}, e = {&d, 0}, f = {&e, 0};
  Node *last = &f;
  for (int i = 1; i < argc && last->next; i++)
    last = last->next;
  STORE(last->index = 1000);
  in_list<<<1, 1>>>(out, a.index);

  int one = 0, other = 0, large = 1000;
  std::vector<int *> places;
  for (int i = 0; i < argc; i++) {
    places.push_back(&other);
    places.push_back(&one);
  }
  STORE(memcpy(places[argc - 1], &large, sizeof large));
  in_vector<<<1, 1>>>(out, one);

  int left = 0, right = 0;
  const uintptr_t mixed = (uintptr_t)&left ^ (uintptr_t)&right;
  int *place = (int *)((uintptr_t)&right ^ (argc > 1 ? mixed : 0));
  STORE(*place = 1000);
  by_number<<<1, 1>>>(out, left);

  int near = 0, far = 0;
  STORE(*(int *)((char *)&far + ((char *)&near - (char *)&far) * (argc > 1)) = 1000);
  by_distance<<<1, 1>>>(out, near);

  Node *first = copyNode({nullptr, 0});
  change<<<1, 1>>>(copyNode({copyNode({first, 0}), 0}), argc);
  on_device<<<1, 1>>>(out, first);
}
