// Accesses to an array on the stack after the end of its block, or of its function. Delayed: another array has used its
// place since.
// CATEGORY: use-after-scope
// CASE: block immediate
// CASE: block delayed
// CASE: function immediate
// CASE: function delayed
#include "case.h"

// The pointer goes through memory that the optimiser cannot analyse.
__global__ void block(int *volatile *slot, int *sink, int index, bool delayed) {
  int outer[8];
  fill(outer, 8, 0);
  {
    int inner[8];
    fill(inner, 8, 10);
    *slot = BUG_OR_FIXED(inner, outer);
  }
  if (delayed) {
    int later[8];
    fill(later, 8, 20);
    *sink = total(later, 8);
  }
  // BLOCK: ERROR: AddressSanitizer: stack-use-after-scope
  // BLOCK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // BLOCK-NEXT: #0 block(int* volatile*, int*, int, bool) {{.*}}use-after-scope.cu:[[#@LINE+1]]:
  *sink = (*slot)[index] + total(outer, 8) - 28;
}

static NOINLINE __device__ void make(int *volatile *slot, int *outer) {
  int inner[8];
  fill(inner, 8, 10);
  *slot = BUG_OR_FIXED(inner, outer);
}

static NOINLINE __device__ int another() {
  int later[8];
  fill(later, 8, 20);
  return total(later, 8);
}

__global__ void function(int *volatile *slot, int *sink, int index, bool delayed) {
  int outer[8];
  fill(outer, 8, 0);
  make(slot, outer);
  if (delayed)
    *sink = another();
  // FUNCTION: ERROR: AddressSanitizer: stack-use-after-return
  // FUNCTION-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // FUNCTION-NEXT: #0 function(int* volatile*, int*, int, bool) {{.*}}use-after-scope.cu:[[#@LINE+1]]:
  *sink = (*slot)[index] + total(outer, 8) - 28;
}

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1);
  int *volatile *slot;
  CUDA(cudaMalloc(&slot, sizeof *slot));
  if (chosen("block"))
    block<<<1, 1>>>(slot, sink, 7, chosen("delayed"));
  else
    function<<<1, 1>>>(slot, sink, 7, chosen("delayed"));
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(sink));
  CUDA(cudaFree((void *)slot));
  return finish(result, 7);
}
