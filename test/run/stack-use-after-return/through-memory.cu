// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A pointer's bounds are looked up while its variable is alive. After the return the pointer is loaded from memory.
__device__ __noinline__ int *choose(int *caller, int seed) {
  int own[4];
#ifdef FIXED
  int *volatile chosen = seed < 0 ? own : caller;
#else
  int *volatile chosen = seed < 0 ? caller : own;
#endif
  own[seed & 3] = seed;
  caller[seed & 3] = seed;
  return chosen;
}

__global__ void pick(int *result) {
  int own[4] = {};
  // CHECK: ERROR: AddressSanitizer: stack-use-after-return
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 pick(int*) {{.*}}through-memory.cu:[[#@LINE+1]]:
  *result = *choose(own, *result);
}

int main() {
  int *result;
  cudaMalloc(&result, sizeof *result);
  cudaMemset(result, 0, sizeof *result);
  pick<<<1, 1>>>(result);
  return cudaDeviceSynchronize();
}
