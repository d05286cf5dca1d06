// RUN: %gasan -fsanitize-gpu-address-mode=bst -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A list in memory has a node of a function that has returned. The next call has its own node in the same frame.
struct Node {
  int value;
  Node *next;
};

__device__ __noinline__ void push(Node *volatile *list, Node *caller, int value) {
  Node own = {value, *list};
#ifdef FIXED
  Node *node = caller;
  *node = own;
#else
  Node *node = &own;
#endif
  *list = node;
}

__global__ void count(Node *volatile *lists, int *result) {
  Node *volatile *list = &lists[threadIdx.x];
  Node first, second;
  *list = nullptr;
  push(list, &first, 1);
  push(list, &second, 2);
  int sum = 0;
  for (Node *node = *list; node; node = node->next)
    // CHECK: ERROR: AddressSanitizer: stack-use-after-return
    // CHECK-NEXT: READ of size {{4|8|16}} at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
    // CHECK-NEXT: #0 count(Node* volatile*, int*) {{.*}}reused.cu:[[#@LINE+1]]:
    sum += node->value;
  result[threadIdx.x] = sum;
}

int main() {
  Node *volatile *lists;
  int *result;
  cudaMalloc(&lists, 32 * sizeof *lists);
  cudaMalloc(&result, 32 * sizeof *result);
  count<<<1, 32>>>(lists, result);
  int last = 0;
  cudaMemcpy(&last, result + 31, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree((void *)lists);
  cudaFree(result);
  return last != 3;
}
