// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s
// Inline PTX that loads an address and uses it cannot be checked. It works, and print_stats counts it.
// CHECK: Stats: 1 sites checked; 1 accesses in the code cannot be checked
__global__ void follow(int **list) {
  asm volatile("{ .reg .u64 p; ld.global.u64 p, [%0]; st.global.u32 [p], 7; }" : : "l"(list) : "memory");
}

int main() {
  int **list, *value, result = 0;
  cudaMalloc(&list, sizeof *list);
  cudaMalloc(&value, sizeof *value);
  cudaMemcpy(list, &value, sizeof value, cudaMemcpyHostToDevice);
  follow<<<1, 1>>>(list);
  cudaMemcpy(&result, value, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(list);
  cudaFree(value);
  return result != 7;
}
