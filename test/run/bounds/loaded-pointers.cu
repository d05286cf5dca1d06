// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// RUN: not %run %t list-short 2>&1 | FileCheck %s --check-prefix=LIST-SHORT
// RUN: not %run %t list-freed 2>&1 | FileCheck %s --check-prefix=LIST-FREED
// RUN: not %run %t list-end 2>&1 | FileCheck %s --check-prefix=LIST-END
// RUN: not %run %t list-before 2>&1 | FileCheck %s --check-prefix=LIST-BEFORE
// RUN: not %run %t list-null 2>&1 | FileCheck %s --check-prefix=LIST-NULL
// RUN: not %run %t tree-short 2>&1 | FileCheck %s --check-prefix=TREE-SHORT
// RUN: not %run %t tree-freed 2>&1 | FileCheck %s --check-prefix=TREE-FREED
// RUN: not %run %t tree-odd 2>&1 | FileCheck %s --check-prefix=TREE-ODD
// RUN: not %run %t rows-short 2>&1 | FileCheck %s --check-prefix=ROWS-SHORT
// RUN: not %run %t rows-freed 2>&1 | FileCheck %s --check-prefix=ROWS-FREED
// RUN: not %run %t rows-end 2>&1 | FileCheck %s --check-prefix=ROWS-END
// RUN: not %run %t rows-null 2>&1 | FileCheck %s --check-prefix=ROWS-NULL
// RUN: not %run %t managed-end 2>&1 | FileCheck %s --check-prefix=MANAGED-END
// RUN: %gasan -fsanitize-gpu-address-mode=bst -mllvm -gasan-merged-lookups=false -O2 %s -o %t
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// RUN: not %run %t tree-short 2>&1 | FileCheck %s --check-prefix=TREE-SHORT
// RUN: not %run %t tree-freed 2>&1 | FileCheck %s --check-prefix=TREE-FREED
// RUN: not %run %t tree-odd 2>&1 | FileCheck %s --check-prefix=TREE-ODD
// Lists, trees and tables of rows, whose last pointer leads to an object with other bounds, or is null.
#include <cstdio>
#include <cstring>
#include <string>

struct Node {
  Node *next, *right;
  long long value;
};

__global__ void walk(const Node *node, int hops, long long *result) {
  long long total = 0;
  for (int i = 0; i < hops; i++) {
    // LIST-NULL: ERROR: AddressSanitizer: null-address
    // LIST-NULL: READ of size 8
    // LIST-NULL-NEXT: #0 walk({{.*}}loaded-pointers.cu:[[#@LINE+10]]:
    // LIST-SHORT: ERROR: AddressSanitizer: heap-buffer-overflow
    // LIST-SHORT: READ of size 8
    // LIST-SHORT-NEXT: #0 walk({{.*}}loaded-pointers.cu:[[#@LINE+7]]:
    // LIST-FREED: ERROR: AddressSanitizer: heap-use-after-free
    // LIST-FREED: #0 walk({{.*}}loaded-pointers.cu:[[#@LINE+5]]:
    // LIST-END: ERROR: AddressSanitizer: heap-buffer-overflow
    // LIST-END: #0 walk({{.*}}loaded-pointers.cu:[[#@LINE+3]]:
    // LIST-BEFORE: ERROR: AddressSanitizer: heap-buffer-overflow
    // LIST-BEFORE: #0 walk({{.*}}loaded-pointers.cu:[[#@LINE+1]]:
    total += node->value;
    node = node->next;
  }
  *result = total;
}

__device__ __noinline__ long long sum(const Node *node) {
  if (!node)
    return 0;
  // TREE-SHORT: ERROR: AddressSanitizer: heap-buffer-overflow
  // TREE-SHORT: #0 sum({{.*}}loaded-pointers.cu:[[#@LINE+5]]:
  // TREE-FREED: ERROR: AddressSanitizer: heap-use-after-free
  // TREE-FREED: #0 sum({{.*}}loaded-pointers.cu:[[#@LINE+3]]:
  // TREE-ODD: ERROR: AddressSanitizer: misaligned-access
  // TREE-ODD: #0 sum({{.*}}loaded-pointers.cu:[[#@LINE+1]]:
  long long own = node->value;
  return own + sum(node->next) + sum(node->right);
}

__global__ void sum_tree(const Node *root, long long *result) {
  *result = sum(root);
}

__global__ void sum_rows(int **rows, int count, int column, long long *result) {
  long long total = 0;
  for (int i = 0; i < count; i++)
    // ROWS-SHORT: ERROR: AddressSanitizer: heap-buffer-overflow
    // ROWS-SHORT: #0 sum_rows({{.*}}loaded-pointers.cu:[[#@LINE+9]]:
    // ROWS-FREED: ERROR: AddressSanitizer: heap-use-after-free
    // ROWS-FREED: #0 sum_rows({{.*}}loaded-pointers.cu:[[#@LINE+7]]:
    // ROWS-END: ERROR: AddressSanitizer: heap-buffer-overflow
    // ROWS-END: #0 sum_rows({{.*}}loaded-pointers.cu:[[#@LINE+5]]:
    // ROWS-NULL: ERROR: AddressSanitizer: null-address
    // ROWS-NULL: #0 sum_rows({{.*}}loaded-pointers.cu:[[#@LINE+3]]:
    // MANAGED-END: ERROR: AddressSanitizer: heap-buffer-overflow
    // MANAGED-END: #0 sum_rows({{.*}}loaded-pointers.cu:[[#@LINE+1]]:
    total += rows[i][column];
  *result = total;
}

template <typename T>
static T *copied(const T *values, size_t count) {
  T *memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  cudaMemcpy(memory, values, count * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

constexpr int kNodes = 7, kRows = 5, kColumns = 100;

// Makes a list, or a binary tree in an array. `which` chooses the last node's pointer.
static Node *nodes(bool tree, int which) {
  Node *memory, host[kNodes];
  cudaMalloc(&memory, sizeof host);
  Node short_node[1] = {};
  Node *last[] = {nullptr,
                  reinterpret_cast<Node *>(copied(reinterpret_cast<char *>(short_node), 16)),
                  copied(short_node, 1),
                  memory + kNodes,
                  memory - 1,
                  nullptr,
                  reinterpret_cast<Node *>(reinterpret_cast<char *>(memory) + 4)};
  cudaFree(last[2]);
  for (int i = 0; i < kNodes; i++) {
    if (tree)
      host[i] = {2 * i + 1 < kNodes ? memory + 2 * i + 1 : nullptr, 2 * i + 2 < kNodes ? memory + 2 * i + 2 : nullptr,
                 i};
    else
      host[i] = {i + 1 < kNodes ? memory + i + 1 : last[which], nullptr, i};
  }
  if (tree)
    host[kNodes - 1].right = last[which];
  cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
  return memory;
}

static int **row_pointers(bool managed, int which) {
  int *memory = nullptr, *shorter = nullptr, *freed = nullptr, zeros[kRows * kColumns] = {};
  if (managed) {
    cudaMallocManaged(&memory, sizeof zeros);
    memset(memory, 0, sizeof zeros);
  } else {
    memory = copied(zeros, kRows * kColumns);
  }
  shorter = copied(zeros, 3);
  cudaMalloc(&freed, sizeof zeros);
  cudaFree(freed);
  int *rows[kRows], *last[] = {memory, shorter, freed, memory + kRows * kColumns, nullptr, nullptr};
  for (int i = 0; i < kRows; i++)
    rows[i] = i + 1 < kRows ? memory + i * kColumns : last[which];
  return copied(rows, kRows);
}

int main(int, char **arguments) {
  const std::string wanted = arguments[1];
  long long *result, total = 0, expected = kNodes * (kNodes - 1) / 2;
  cudaMalloc(&result, sizeof *result);
  auto is = [&](const char *name) { return wanted == name; };
  auto finish = [&] {
    return cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost) == cudaSuccess ? total : -1;
  };
  if (is("fine")) {
    walk<<<1, 1>>>(nodes(false, 0), kNodes, result);
    bool right = finish() == expected;
    sum_tree<<<1, 1>>>(nodes(true, 0), result);
    right = right && finish() == expected;
    sum_rows<<<1, 1>>>(row_pointers(false, 0), kRows, 7, result);
    right = right && finish() == 0;
    sum_rows<<<1, 1>>>(row_pointers(true, 0), kRows, 7, result);
    right = right && finish() == 0;
    printf("%s\n", right ? "right" : "wrong");
    return !right;
  }
  // LIST-SHORT: located 0 bytes after 16-byte region
  if (is("list-short"))
    walk<<<1, 1>>>(nodes(false, 1), kNodes + 1, result);
  // LIST-FREED: located 16 bytes inside of 24-byte region
  if (is("list-freed"))
    walk<<<1, 1>>>(nodes(false, 2), kNodes + 1, result);
  // LIST-END: located 16 bytes after 168-byte region
  if (is("list-end"))
    walk<<<1, 1>>>(nodes(false, 3), kNodes + 1, result);
  // LIST-BEFORE: located 8 bytes before 168-byte region
  if (is("list-before"))
    walk<<<1, 1>>>(nodes(false, 4), kNodes + 1, result);
  if (is("list-null"))
    walk<<<1, 1>>>(nodes(false, 5), kNodes + 1, result);
  // TREE-SHORT: located 0 bytes after 16-byte region
  if (is("tree-short"))
    sum_tree<<<1, 1>>>(nodes(true, 1), result);
  // TREE-FREED: 24-byte region
  if (is("tree-freed"))
    sum_tree<<<1, 1>>>(nodes(true, 2), result);
  if (is("tree-odd"))
    sum_tree<<<1, 1>>>(nodes(true, 6), result);
  // ROWS-SHORT: located 16 bytes after 12-byte region
  if (is("rows-short"))
    sum_rows<<<1, 1>>>(row_pointers(false, 1), kRows, 7, result);
  // ROWS-FREED: located 28 bytes inside of 2000-byte region
  if (is("rows-freed"))
    sum_rows<<<1, 1>>>(row_pointers(false, 2), kRows, 7, result);
  // ROWS-END: located 28 bytes after 2000-byte region
  if (is("rows-end"))
    sum_rows<<<1, 1>>>(row_pointers(false, 3), kRows, 7, result);
  if (is("rows-null"))
    sum_rows<<<1, 1>>>(row_pointers(false, 4), kRows, 7, result);
  // MANAGED-END: located 28 bytes after 2000-byte region
  if (is("managed-end"))
    sum_rows<<<1, 1>>>(row_pointers(true, 3), kRows, 7, result);
  return finish() < 0;
}
