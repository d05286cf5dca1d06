// Two translation units with kernels of the same name, linked into one program.
// RUN: %gasan -O2 -c %s -o %t.1.o
// RUN: %gasan -O2 -c %S/inputs/second-unit.cu -o %t.2.o
// RUN: %gasan %t.1.o %t.2.o -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
static __global__ void set(int *value) {
  *value = 1;
}

void set_in_second_unit(int *value);

int main() {
  int *values, host[2] = {};
  cudaMalloc(&values, sizeof host);
  set<<<1, 1>>>(values);
  set_in_second_unit(values + 1);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return host[0] != 1 || host[1] != 2;
}
