// The command line names the CUDA runtime's library: the program still runs on gasan's runtime.
// RUN: %gasan -O2 %s -o %t.shared -L%cuda/lib64 -lcudart
// RUN: %run %t.shared 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 %s -o %t.static -L%cuda/lib64 -lcudart_static -ldl -lrt -lpthread
// RUN: %run %t.static 2>&1 >/dev/null | %silent
__global__ void set(int *value) {
  *value = 7;
}

int main() {
  int *value, host = 0;
  cudaMalloc(&value, sizeof(int));
  set<<<1, 1>>>(value);
  cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(value);
  return host != 7;
}
