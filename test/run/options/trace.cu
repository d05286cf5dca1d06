// -fsanitize-gpu-address-trace: the file of trace_path has each lookup and each access, by warps. trace_blocks traces a
// part of the blocks, and counts no others; a full buffer is said. Without the option, the trace has launches but no
// records.
// REQUIRES: cpu
// RUN: %gasan -O2 -fsanitize-gpu-address-trace %s -o %t
// RUN: %options=trace_path=%t.trace %run %t
// RUN: %mlb --print %t.trace | FileCheck %s
// RUN: %options=trace_path=%t.part:trace_blocks=2 %run %t
// RUN: %mlb --print %t.part | FileCheck %s --check-prefix=PART
// RUN: %mlb %t.trace | FileCheck %s --check-prefix=COUNTS
// RUN: %mlb %t.part | FileCheck %s --check-prefix=PART-COUNTS
// RUN: %options=trace_path=%t.small:trace_buffer_mb=1 %run %t large 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: %options=trace_path=/nowhere/trace %run %t 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: %gasan -O2 %s -o %t.plain
// RUN: %options=trace_path=%t.none %run %t.plain
// RUN: %mlb --print %t.none | FileCheck %s --check-prefix=NONE

// The loop of lanes 2 and 3 of the last warp ends first.
// CHECK: launch 1: _Z3addPiPKii, grid 3x1x1, block 40x1x1, 2 allocations, 0 records dropped
// CHECK: lookup module 1 site {{[0-9]+}} sm 0 block 0 warp 0 mask ffffffff size 0: [[A:[0-9a-f]+]] [[A]] [[A]]
// CHECK: read module 1 site {{[0-9]+}} sm 0 block 0 warp 0 mask ffffffff size 4: [[B:[0-9a-f]+]]
// CHECK: write module 1 site {{[0-9]+}} sm 0 block 0 warp 0 mask ffffffff size 4:
// CHECK: block 2 warp 1 mask 000000ff size 0:
// CHECK: read module 1 site {{[0-9]+}} sm 0 block 2 warp 1 mask 000000ff size 4:
// CHECK: write module 1 site {{[0-9]+}} sm 0 block 2 warp 1 mask 000000ff size 4:
// CHECK: read module 1 site {{[0-9]+}} sm 0 block 2 warp 1 mask 0000000f size 4:
// CHECK: write module 1 site {{[0-9]+}} sm 0 block 2 warp 1 mask 0000000f size 4:
// CHECK-NOT: launch 2

// PART: block 0 warp 0
// PART-NOT: block 1 warp
// PART: block 2 warp 0
// COUNTS: "global": 708,
// PART-COUNTS: "global": 468,

// FULL: records are missing in the trace ({{[0-9]+}} of launch 1): raise GASAN_OPTIONS=trace_buffer_mb=1
// FULL: {{[0-9]+}} records are missing

// PATH: ERROR: the trace cannot be written to /nowhere/trace: No such file or directory; set GASAN_OPTIONS=trace_path

// NONE: launch 1: _Z3addPiPKii
// NONE-NOT: site
__global__ void add(int *sums, const int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int rounds = blockIdx.x == 2 && threadIdx.x >= 36 ? 1 : 2;
  for (int round = 0; round < rounds; round++)
    if (i < n)
      sums[i] += values[(i + round) % n];
}

int main(int argc, char **) {
  const int blocks = argc > 1 ? 1000 : 3, n = blocks * 40;
  int *sums, *values, first = 0;
  cudaMalloc(&sums, n * sizeof(int));
  cudaMalloc(&values, n * sizeof(int));
  cudaMemset(sums, 0, n * sizeof(int));
  cudaMemset(values, 1, n * sizeof(int));
  add<<<blocks, 40>>>(sums, values, n);
  cudaMemcpy(&first, sums, sizeof first, cudaMemcpyDeviceToHost);
  return first == 2 * 0x01010101 ? 0 : 4;
}
