/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Searches in a B+ tree of n records as Rodinia's b+tree: nodes of up to 256 keys in an array, a block a query, a level
// a round. Leaves are half full, as after insertions. Exact.
#include "footprint.h"

constexpr int kOrder = 256, kFill = kOrder / 2, kQueries = 10000;

struct Node {
  int location, indices[kOrder + 1], keys[kOrder + 1];
  bool is_leaf;
  int key_count;
};

// Record i has the key 2 i, so that odd keys are not found.
__global__ void search(const Node *nodes, const int *records, int *current, const int *keys, int *answers, int height) {
  int query = blockIdx.x, t = threadIdx.x, key = keys[query];
  for (int level = 0; level < height; level++) {
    const Node &node = nodes[current[query]];
    int next = -1;
    if (t < node.key_count && node.keys[t] <= key && (t + 1 == node.key_count || key < node.keys[t + 1])) {
      next = node.indices[t];
      if (node.is_leaf)
        answers[query] = node.keys[t] == key ? records[next] : -1;
    }
    __syncthreads();
    if (next >= 0 && !node.is_leaf)
      current[query] = next;
    __syncthreads();
  }
}

static int record(int i) {
  return int(scramble(i) >> 1);
}

// Leaves first, then a level of nodes over each; the last is the root.
static std::vector<Node> make_tree(int n, int &height) {
  std::vector<Node> nodes;
  int first = 0;
  for (int i = 0; i < n; i++) {
    if (i % kFill == 0) {
      nodes.push_back({});
      nodes.back().is_leaf = true;
    }
    Node &leaf = nodes.back();
    leaf.keys[leaf.key_count] = 2 * i;
    leaf.indices[leaf.key_count++] = i;
  }
  for (height = 1; int(nodes.size()) - first > 1; height++) {
    int end = int(nodes.size());
    for (int child = first; child < end; child++) {
      if ((child - first) % kFill == 0)
        nodes.push_back({});
      Node &node = nodes.back();
      node.keys[node.key_count] = nodes[child].keys[0];
      node.indices[node.key_count++] = child;
    }
    first = end;
  }
  for (size_t i = 0; i < nodes.size(); i++)
    nodes[i].location = int(i);
  return nodes;
}

int main(int argc, char **argv) {
  Footprint run("b+tree", argc, argv, 3000, 1000000, 20000000);
  int height, queries = std::min(kQueries, run.n / 10);
  std::vector<Node> tree = make_tree(run.n, height);
  std::vector<int> records(run.n), keys(queries), answers(queries);
  for (int i = 0; i < run.n; i++)
    records[i] = record(i);
  for (int i = 0; i < queries; i++)
    keys[i] = int(scramble(i) % (2u * run.n));
  int *records_on_device = run.allocate_copy(records);
  Node *nodes = run.allocate_copy(tree);
  int *current = run.allocate_copy(std::vector<int>(queries, int(tree.size()) - 1));
  int *keys_on_device = run.allocate_copy(keys);
  int *answers_on_device = run.allocate<int>(queries);
  search<<<queries, kOrder>>>(nodes, records_on_device, current, keys_on_device, answers_on_device, height);
  run.launched();
  REQUIRE(cudaMemcpy(answers.data(), answers_on_device, queries * sizeof(int), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < queries; i++)
    right &= answers[i] == (keys[i] % 2 ? -1 : record(keys[i] / 2));
  return run.finish(right);
}
