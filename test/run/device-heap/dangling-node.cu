// One kernel builds a list. Another kernel frees a node and leaves a pointer to it. A third kernel follows this
// pointer.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: not %run %t.0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
#include <new>

struct Node {
  int value;
  Node *next;
  __device__ Node(int value, Node *next) : value(value), next(next) {}
};
__device__ Node *list;
__device__ int result;

__global__ void build(int count) {
  for (int i = 0; i < count; ++i)
    list = new Node(i, list);
}

__global__ void takeSecond() {
  Node *second = list->next;
#ifdef FIXED
  list->next = second->next;
#endif
  delete second;
}

__global__ void sum() {
  for (Node *node = list; node; node = node->next)
    result += node->value;
}

int main() {
  build<<<1, 1>>>(5);
  takeSecond<<<1, 1>>>();
  sum<<<1, 1>>>();
  cudaDeviceSynchronize();
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: READ of size {{4|8}} at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-NEXT: #0 sum() {{.*}}dangling-node.cu:34
  // CHECK: bytes inside of 16-byte region {{.*}} of the device heap
  // CHECK-NEXT: freed by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK-NEXT: operator delete
  // CHECK: takeSecond() {{.*}}dangling-node.cu:29:
  // CHECK-NEXT: takeSecond()<<<1, 1>>> launched here by host thread T0:
  // CHECK: previously allocated by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK: build(int) {{.*}}dangling-node.cu:21:
  // CHECK: SUMMARY: AddressSanitizer: heap-use-after-free {{.*}} in sum()
}
