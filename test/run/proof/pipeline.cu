// A pipeline copies rows to shared memory while the block adds others. The launch proof knows the copies' places:
// stages go around, a condition decides whether a copy reads 16 bytes or none, and the index moves beside a counter
// that the condition tests.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=launch_proof=0 %run %t fine 2>&1 >/dev/null | %silent
// RUN: not %run %t row 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not %run %t column 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not %run %t stage 2>&1 | FileCheck %s --check-prefix=STAGE
// FINE: launch proof: 1 of 1 launches proven, by 1 evaluations; 1 of 1 kernels in every launch
// FINE: Stats: 0 reports
#include "zeroed-array.cuh"

#include <cstring>

constexpr int kStages = 3, kThreads = 32;

__device__ void copy(int4 *to, const int4 *from, bool is_inside) {
  // ROW: ERROR: AddressSanitizer: heap-buffer-overflow
  // ROW-NEXT: READ of size 16
  // ROW-NEXT: #0 copy({{.*}}pipeline.cu:[[#@LINE+6]]:
  // ROW: located {{.*}} 16000-byte region
  // ROW: allocated by host thread T0 here:
  // STAGE: ERROR: AddressSanitizer: shared-buffer-overflow
  // STAGE-NEXT: WRITE of size 16
  // STAGE-NEXT: #0 copy({{.*}}pipeline.cu:[[#@LINE+1]]:
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2; cp.async.commit_group;" ::"r"(
                   (unsigned)__cvta_generic_to_shared(to)),
               "l"(from), "r"(is_inside ? 16 : 0)
               : "memory");
}

// LAST: the greatest stage.
template <int LAST>
__global__ void sum_columns(const int4 *from, int *to, int depth, int width, int ahead) {
  __shared__ int4 tile[kStages][kThreads];
  const int column = blockIdx.x * kThreads + threadIdx.x;
  const bool is_inside = column < width;
  for (int stage = 0; stage < 2; stage++)
    copy(&tile[stage][threadIdx.x], from + stage * width + column, is_inside && stage < depth);
  int reads = 0, writes = 2, index = 2 * width + column, sum = 0;
  for (int k = 0; k < depth; k++) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    sum += tile[reads][threadIdx.x].x;
    copy(&tile[writes][threadIdx.x], from + index, is_inside && k < depth - ahead);
    index += width;
    reads = reads == LAST ? 0 : reads + 1;
    writes = writes == LAST ? 0 : writes + 1;
  }
  if (is_inside)
    to[column] = sum;
}

int main(int argc, char **argv) {
  auto is = [&](const char *name) { return !strcmp(argv[1], name); };
  const int depth = 20, width = 50, blocks = 2;
  int4 *from = array<int4>(depth * width);
  int *to = array<int>(width + is("column"));
  if (is("stage"))
    sum_columns<kStages><<<blocks, kThreads>>>(from, to, depth, width, 2);
  else
    sum_columns<kStages - 1><<<blocks, kThreads>>>(from, to, depth, width + is("column"), is("row") ? 1 : 2);
  return cudaDeviceSynchronize() != cudaSuccess;
}
