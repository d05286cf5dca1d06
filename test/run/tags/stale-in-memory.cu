// RUN: %gasan -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: %options=quarantine_size_mb=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 %s -fsanitize-gpu-address-tags -o %t.O0
// RUN: %options=quarantine_size_mb=0 not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-tags -o %t.fixed
// RUN: %options=quarantine_size_mb=0 %run %t.fixed 2>&1 >/dev/null | %silent
// A list in device memory whose last node has been freed. A new node has its addresses now.
struct Node {
  Node *next;
  int value;
};

// CHECK: ERROR: AddressSanitizer: heap-use-after-free
// CHECK-NEXT: READ of size {{[48]}}
__device__ int sum(const Node *node) {
  int total = 0;
  for (; node; node = node->next)
    total += node->value; // CHECK: #0 {{.*}}stale-in-memory.cu:[[#@LINE]]:
  return total;
}

__global__ void walk(const Node *first, int *total) {
  *total = sum(first);
}

int main() {
  Node *nodes[3], *other;
  int *total, result;
  for (Node *&node : nodes)
    cudaMalloc(&node, sizeof *node);
  cudaMalloc(&total, sizeof *total);
  for (int i = 0; i < 3; i++) {
    Node node = {i < 2 ? nodes[i + 1] : nullptr, 1 << i};
    cudaMemcpy(nodes[i], &node, sizeof node, cudaMemcpyHostToDevice);
  }
#ifndef FIXED
  cudaFree(nodes[2]);
#endif
  cudaMalloc(&other, sizeof *other);
  cudaMemset(other, 0, sizeof *other);
  walk<<<1, 1>>>(nodes[0], total);
  // CHECK: bytes inside of 16-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  if (cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 2;
  return result != 7;
}
