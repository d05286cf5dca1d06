// With count-checks, a program counts its checks and accesses: 64 threads with 4 accesses each, where one check covers
// two accesses.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-launch-proof=off \
// RUN:   -fsanitize-gpu-address-count-checks %s -o %t
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-launch-proof=off \
// RUN:   -mllvm -gasan-group-checks=false -fsanitize-gpu-address-count-checks=on %s -o %t.single
// RUN: %options=print_stats=1 %run %t.single 2>&1 | FileCheck %s --check-prefix=SINGLE
// CHECK: 192 checks executed for 256 accesses
// SINGLE: 256 checks executed for 256 accesses
__global__ void add_pairs(const int *pairs, const int *index, int *sums) {
  int at = index[threadIdx.x];
  sums[threadIdx.x] = pairs[2 * at] + pairs[2 * at + 1];
}

int main() {
  int *pairs, *index, *sums, last = 1;
  cudaMalloc(&pairs, 128 * sizeof(int));
  cudaMalloc(&index, 64 * sizeof(int));
  cudaMalloc(&sums, 64 * sizeof(int));
  cudaMemset(pairs, 0, 128 * sizeof(int));
  cudaMemset(index, 0, 64 * sizeof(int));
  add_pairs<<<1, 64>>>(pairs, index, sums);
  cudaMemcpy(&last, sums + 63, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(pairs);
  cudaFree(index);
  cudaFree(sums);
  return last;
}
