// Memory that kernels have not freed when the program ends. The report has a sum for each malloc call, the largest
// first, with the launch of its first allocation.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: %options=detect_leaks=1 not %run %t 2>&1 | FileCheck %s
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=detect_leaks=1:suppressions=%S/inputs/node.supp not %run %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SUPPRESSED
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: %options=detect_leaks=1 not %run %t.0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
#include <new>

struct Node {
  int value;
  Node *next;
};
__device__ Node *lists[64];
__device__ char *large;

__device__ __forceinline__ Node *makeNode(int value, Node *next) {
  Node *node = new Node;
  node->value = value;
  node->next = next;
  return node;
}

__global__ void build() {
  for (int i = 0; i < 3; ++i)
    lists[threadIdx.x] = makeNode(i, lists[threadIdx.x]);
}

__global__ void allocate(size_t size) {
  large = static_cast<char *>(malloc(size));
}

__global__ void drop(int last) {
  while (Node *node = lists[threadIdx.x]) {
    if (threadIdx.x > last)
      break;
    lists[threadIdx.x] = node->next;
    delete node;
  }
#ifdef FIXED
  if (threadIdx.x == 0)
    free(large);
#endif
}

int main() {
  build<<<1, 64>>>();
  build<<<1, 64>>>();
  allocate<<<1, 1>>>(100000);
#ifdef FIXED
  drop<<<1, 64>>>(63);
#else
  drop<<<1, 64>>>(61);
#endif
  cudaDeviceSynchronize();
  // CHECK: ERROR: LeakSanitizer: detected memory leaks
  // CHECK: Direct leak of 100000 byte(s) in 1 object(s) of the device heap allocated from:
  // CHECK-NEXT: #0 allocate(unsigned long) {{.*}}leak.cu:34:
  // CHECK-NEXT: #1 allocate(unsigned long)<<<1, 1>>> launched here by host thread T0:
  // CHECK: Direct leak of 192 byte(s) in 12 object(s) of the device heap allocated from:
  // CHECK-NEXT: #0 operator new
  // CHECK-NEXT: #1 makeNode(int, Node*) {{.*}}leak.cu:22:
  // CHECK-NEXT: #2 build() {{.*}}leak.cu:30:
  // CHECK-NEXT: #3 build()<<<1, 64>>> launched here by host thread T0:
  // CHECK-NEXT: #4 {{.*}} in main {{.*}}leak.cu:51:
  // CHECK: SUMMARY: AddressSanitizer: 100192 byte(s) leaked in 13 allocation(s).
  // SUPPRESSED: Direct leak of 100000 byte(s) in 1 object(s)
  // SUPPRESSED: SUMMARY: AddressSanitizer: 100000 byte(s) leaked in 1 allocation(s).
}
