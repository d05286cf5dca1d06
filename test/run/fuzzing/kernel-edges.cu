// REQUIRES: cpu
// RUN: %gasan -fsanitize=fuzzer -O2 %s -o %t
// RUN: %gasan -fsanitize=fuzzer -O2 -DFIXED %s -o %t.fixed
// RUN: not %run %t -seed=1 -max_len=6 -runs=1000000 -exact_artifact_path=%t.c 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,WROTE
// RUN: not %run %t %t.c 2>&1 | FileCheck %s
// RUN: %gasan -fsanitize=fuzzer,address -O2 %s -o %t.asan
// RUN: not %run %t.asan -seed=1 -max_len=6 -runs=1000000 -exact_artifact_path=%t.a 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,ASAN
// RUN: %run %t.fixed -seed=1 -max_len=6 -runs=20000 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: %run %t.fixed %t.c 2>&1 | FileCheck %s --check-prefix=SAME
// A kernel that goes out of bounds for one input in 2^48: libFuzzer must see the kernel's edges for the first two
// bytes, and its comparison for the number. The file that libFuzzer writes gives the same report again.
#include <cstdint>
#include <cstring>

__global__ void look_up(const unsigned char *input, int *table) {
  unsigned number = 0;
  for (int i = 2; i < 6; i++)
    number = number << 8 | input[i];
  int place = 0;
  if (input[0] == 'g') {
    table[1] = 1;
    if (input[1] == 'p') {
      table[2] = 1;
      if (number == 0x12345678)
        place = 8;
    }
  }
#ifdef FIXED
  place &= 7;
#endif
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 at {{.*}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 look_up(unsigned char const*, int*) {{.*}}kernel-edges.cu:[[#@LINE+2]]:
  // CHECK: located 0 bytes after 32-byte region
  table[place] = 1;
}

// WROTE: Test unit written to {{.*}}kernel-edges.cu.tmp.c
// ASAN: Test unit written to {{.*}}kernel-edges.cu.tmp.a{{$}}
// FIXED: Done 20000 runs
// SAME: Executed {{.*}}kernel-edges.cu.tmp.c in

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned char *input;
  int *table;
  cudaMalloc((void **)&input, 6);
  cudaMalloc((void **)&table, 8 * sizeof *table);
  cudaMemset(input, 0, 6);
  cudaMemcpy(input, data, size < 6 ? size : 6, cudaMemcpyHostToDevice);
  look_up<<<1, 1>>>(input, table); // the target does not wait: the report must not come with a later input
  cudaFree(input);
  cudaFree(table);
  return 0;
}
