/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Thrust, correct; with an argument, a copy of one element too many.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: READ of size 2097156 at .* by cuMemcpy(DtoD)?Async
// BUG: thrust_sort
#include <cstdio>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
int main(int argc, char **argv) {
  const int n = 1 << 19;
  thrust::device_vector<int> values(n), copy(n);
  thrust::sequence(values.rbegin(), values.rend());
  thrust::sort(values.begin(), values.end());
  thrust::copy(values.begin(), values.end() + (argc > 1), copy.begin());
  int last = copy[n - 1];
  printf("%d\n", last);
}
