// A bug in a function without checks (no_sanitize) is not reported.
// RUN: %gasan -O2 -DATTRIBUTE %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=verbosity=1 %run %t 2>&1 | FileCheck %s --check-prefix=OFF
// Without readers of the runtime's parameters, the GPU's assembler drops them.
// OFF: gasan: module {{[0-9]+}}
// OFF-SAME: {{^( \(kernel store\(char\*\)\) is not instrumented: its accesses are|: 1 kernels and 0 sites)}}
// OFF-SAME: {{^( not checked| instrumented)}}
// RUN: %gasan -O2 %s -o %t.checked
// RUN: not %run %t.checked 2>&1 | FileCheck %s
// CHECK: heap-buffer-overflow
#ifdef ATTRIBUTE
__attribute__((no_sanitize("address")))
#endif
__global__ void store(char *values) {
  values[100] = 1; // in the padding up to the pool's alignment: harmless without a check
}

int main() {
  char *values;
  cudaMalloc(&values, 100);
  store<<<1, 1>>>(values);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess;
}
