// A pointer to a variable out of scope. On another path it is null, an argument, a pointer to another variable, to the
// next loop round's variable in the same place, or to the greater of two values.
// CATEGORY: merged-scopes
// CASE: null
// CASE: argument
// CASE: other
// CASE: round
// CASE: greater
#include "case.h"

// CHECK: ERROR: AddressSanitizer: stack-use-after-scope
// CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

__global__ void maybe_null(int *sink, int index) {
  int outer[8];
  fill(outer, 8, 10);
  int *pointer = nullptr;
  if (index > 0) {
    int inner[8];
    fill(inner, 8, 10);
    pointer = &(BUG_OR_FIXED(inner, outer))[index];
    *sink = total(inner, 8);
  }
  if (pointer)
    // NULL: #0 maybe_null(int*, int) {{.*}}merged-scopes.cu:[[#@LINE+1]]:
    *sink = *pointer;
}

__global__ void argument(int *sink, int *other, int index) {
  int *pointer = other;
  {
    int inner[8];
    fill(inner, 8, 10);
    if (index != BUG_OR_FIXED(0, index))
      pointer = inner;
    *sink = total(inner, 8);
  }
  // ARGUMENT: #0 argument(int*, int*, int) {{.*}}merged-scopes.cu:[[#@LINE+1]]:
  *sink = pointer[index] + 10;
}

__global__ void another(int *sink, int index) {
  int outer[8];
  fill(outer, 8, 10);
  int *pointer = outer;
  if (index & 1) {
    int inner[8];
    fill(inner, 8, 10);
    if (index != BUG_OR_FIXED(0, index))
      pointer = inner;
    *sink = total(inner, 8);
  }
  // OTHER: #0 another(int*, int) {{.*}}merged-scopes.cu:[[#@LINE+1]]:
  *sink = pointer[index];
}

__global__ void rounds(int *sink, int index) {
  int *pointer = nullptr;
  for (int i = 0; i < 4; ++i) {
#ifndef FIXED
    // ROUND: #0 rounds(int*, int) {{.*}}merged-scopes.cu:[[#@LINE+1]]:
    *sink = pointer ? *pointer : 0;
#endif
    int inner[8];
    fill(inner, 8, 7 + i);
    *sink = pointer ? *pointer : total(inner, 8);
    pointer = &inner[index];
  }
}

template <typename T>
__device__ const T &greater_of(const T &a, const T &b) {
  return a < b ? b : a;
}

__global__ void greater(int *sink, int index) {
  const int &most = greater_of(index, index + BUG_OR_FIXED(1, -1));
  // GREATER: #0 greater(int*, int) {{.*}}merged-scopes.cu:[[#@LINE+1]]:
  *sink = most + 10 * (index == 7);
}

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1), *other = allocate(8);
  if (chosen("null"))
    maybe_null<<<1, 1>>>(sink, 7);
  else if (chosen("argument"))
    argument<<<1, 1>>>(sink, other, 7);
  else if (chosen("other"))
    another<<<1, 1>>>(sink, 7);
  else if (chosen("round"))
    rounds<<<1, 1>>>(sink, 7);
  else
    greater<<<1, 1>>>(sink, 7);
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(sink));
  CUDA(cudaFree(other));
  return finish(result, 17);
}
