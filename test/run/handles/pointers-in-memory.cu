// Device pointers that are only in device memory: a list and a tree that the host has built; pointers in structs passed
// by value, with arrays and structs inside; pointers that kernels convert to integers and back, store, compare and
// subtract.
// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles %run %t 2>&1 >/dev/null | %silent
// RUN: %options=pool=handles:handle_bits=9 %run %t 2>&1 >/dev/null | %silent
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 %s -fsanitize-gpu-address-pool=handles -o %t.o0
// RUN: %options=pool=handles %run %t.o0 2>&1 >/dev/null | %silent
#include "../../cpu/inputs/self_check.h"

struct Node {
  int value;
  Node *next;
};

__global__ void sum_list(const Node *first, const Node *end, int *result) {
  int sum = 0;
  for (const Node *node = first; node != end; node = node->next)
    sum += node->value;
  *result = sum;
}

static void test_list() {
  const int count = 300;
  std::vector<Node *> nodes(count);
  for (Node *&node : nodes)
    CUDA(cudaMalloc(&node, sizeof(Node)));
  for (int i = 0; i < count; ++i) {
    Node node = {i, i + 1 < count ? nodes[i + 1] : nullptr};
    CUDA(cudaMemcpy(nodes[i], &node, sizeof node, cudaMemcpyHostToDevice));
  }
  int *result, sum;
  CUDA(cudaMalloc(&result, sizeof *result));
  sum_list<<<1, 1>>>(nodes[0], nullptr, result);
  CUDA(cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost));
  EXPECT(sum == count * (count - 1) / 2, "%d", sum);
  // A list's end as an argument equals the same pointer loaded from memory.
  sum_list<<<1, 1>>>(nodes[0], nodes[10], result);
  CUDA(cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost));
  EXPECT(sum == 45, "%d", sum);
  for (Node *node : nodes)
    CUDA(cudaFree(node));
  CUDA(cudaFree(result));
}

struct Tree {
  Tree *children[2];
  int key;
};

__device__ int sum_tree(const Tree *tree) {
  return tree ? tree->key + sum_tree(tree->children[0]) + sum_tree(tree->children[1]) : 0;
}

__global__ void sum_trees(Tree *const *trees, int *results) {
  results[threadIdx.x] = sum_tree(trees[threadIdx.x]);
}

static Tree *grow(Random &random, int depth, int &sum, std::vector<void *> &all) {
  if (depth == 0 || random.below(8) == 0)
    return nullptr;
  Tree tree;
  tree.key = int(random.below(1000));
  sum += tree.key;
  tree.children[0] = grow(random, depth - 1, sum, all);
  tree.children[1] = grow(random, depth - 1, sum, all);
  Tree *device;
  CUDA(cudaMalloc(&device, sizeof tree));
  CUDA(cudaMemcpy(device, &tree, sizeof tree, cudaMemcpyHostToDevice));
  all.push_back(device);
  return device;
}

static void test_trees() {
  Random random(7);
  Tree *trees[4], **device_trees;
  int sums[4] = {}, results[4], *device_results;
  std::vector<void *> all;
  for (int i = 0; i < 4; ++i)
    trees[i] = grow(random, 6, sums[i], all);
  CUDA(cudaMalloc(&device_trees, sizeof trees));
  CUDA(cudaMalloc(&device_results, sizeof results));
  CUDA(cudaMemcpy(device_trees, trees, sizeof trees, cudaMemcpyHostToDevice));
  sum_trees<<<1, 4>>>(device_trees, device_results);
  CUDA(cudaMemcpy(results, device_results, sizeof results, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; ++i)
    EXPECT(results[i] == sums[i], "%d: %d, not %d", i, results[i], sums[i]);
  for (void *chunk : all)
    CUDA(cudaFree(chunk));
  CUDA(cudaFree(device_trees));
  CUDA(cudaFree(device_results));
}

struct Inner {
  char tag;
  const int *values;
};
struct Outer {
  short count;
  Inner inner[3];
  struct {
    int *result;
    size_t as_integer;
  } out;
  double noise; // its bits look like a handle's
};

__global__ void add_all(Outer outer, const int *one) {
  int sum = one[0];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < outer.count; ++j)
      sum += outer.inner[i].values[j] * outer.inner[i].tag;
  outer.out.result[0] = sum;
  reinterpret_cast<int *>(outer.out.as_integer)[1] = outer.noise == 1.0 ? sum + 1 : 0;
}

static void test_structs() {
  int values[30], *device_values, *result, sums[2], expected = 0;
  CUDA(cudaMalloc(&device_values, sizeof values));
  CUDA(cudaMalloc(&result, 2 * sizeof *result));
  for (int i = 0; i < 30; ++i)
    values[i] = i * i;
  CUDA(cudaMemcpy(device_values, values, sizeof values, cudaMemcpyHostToDevice));
  Outer outer = {10,
                 {{1, device_values}, {2, device_values + 10}, {3, device_values + 20}},
                 {result, reinterpret_cast<size_t>(result)},
                 1.0};
  for (int i = 0; i < 30; ++i)
    expected += values[i] * (i / 10 + 1);
  add_all<<<1, 1>>>(outer, device_values + 29);
  CUDA(cudaMemcpy(sums, result, sizeof sums, cudaMemcpyDeviceToHost));
  expected += values[29];
  EXPECT(sums[0] == expected && sums[1] == expected + 1, "%d %d, not %d", sums[0], sums[1], expected);
  CUDA(cudaFree(device_values));
  CUDA(cudaFree(result));
}

__device__ int *kept;
__constant__ int *constant;

__global__ void keep(int *values) {
  kept = values + 3;
}

__global__ void use_kept(int *values, long long *answers) {
  answers[0] = kept - values;
  answers[1] = kept == &values[3] && kept > values && kept < values + 100;
  answers[2] = *kept + constant[5];
  atomicAdd(kept, 1000);
  uintptr_t address = reinterpret_cast<uintptr_t>(values);
  answers[3] = *reinterpret_cast<int *>(address + 3 * sizeof(int));
  memcpy(values + 50, values, 10 * sizeof(int));
  answers[4] = values[59];
  __shared__ int *shared[2];
  shared[0] = values;
  shared[1] = values + 100; // one past the end: a kernel may have this pointer, not use it
  __syncthreads();
  answers[5] = shared[1] - shared[0] + *(shared[1] - 1);
}

static void test_values() {
  int values[100], *device;
  long long answers[6], *device_answers;
  for (int i = 0; i < 100; ++i)
    values[i] = i;
  CUDA(cudaMalloc(&device, sizeof values));
  CUDA(cudaMalloc(&device_answers, sizeof answers));
  CUDA(cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpyToSymbol(constant, &device, sizeof device));
  keep<<<1, 1>>>(device);
  int *from_symbol;
  CUDA(cudaMemcpyFromSymbol(&from_symbol, kept, sizeof from_symbol));
  EXPECT(from_symbol == device + 3, "the pointer that a kernel stored is not the program's");
  use_kept<<<1, 1>>>(device, device_answers);
  CUDA(cudaMemcpy(answers, device_answers, sizeof answers, cudaMemcpyDeviceToHost));
  const long long expected[] = {3, 1, 8, 1003, 9, 199};
  for (int i = 0; i < 6; ++i)
    EXPECT(answers[i] == expected[i], "%d: %lld", i, answers[i]);
  CUDA(cudaFree(device));
  CUDA(cudaFree(device_answers));
}

int main() {
  test_list();
  test_trees();
  test_structs();
  test_values();
  return passed();
}
