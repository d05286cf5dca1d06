// printf in kernels: every conversion, width and precision; the order of one thread's lines; the return value. After a
// synchronisation, the text follows the host's earlier output.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__device__ const char *kind(int i) {
  return i % 2 ? "odd" : "even";
}

__global__ void conversions(int *returned) {
  returned[0] = printf("%d %i %u %x %X %o %c %s %%\n", -5, 12, 4000000000u, 0xbeef, 0xBEEF, 8, 'q', "text");
  returned[1] = printf("[%6d] [%-6d] [%06d] [%+d] [% d] [%*d] [%.3d]\n", 42, 42, 42, 42, 42, 8, 42, 7);
  returned[2] = printf("%ld %lu %lld %llu %llx %hd\n", -1L, 1ul << 40, -(1LL << 50), ~0ull, 1ull << 60, (short)-7);
  returned[3] =
      printf("%f %.2f %10.3f %-10.1f| %e %g %G %a\n", 1.5, -2.345, 3.14159, 2.5, 12345.678, 0.0001, 1e20, 1.0);
  returned[4] = printf("%5s|%-5s|%.2s|%s\n", "ab", "cd", "efgh", kind(3));
  returned[5] = printf("no arguments\n");
  float single = 0.1f;
  returned[6] = printf("%.9g %f\n", single, single);
  returned[7] = printf("");
  printf("several ");
  printf("parts of ");
  printf("a line\n");
}

__global__ void lines(int thread) {
  __syncthreads();
  for (int i = 0; i < 5; ++i) {
    if (threadIdx.x == thread)
      printf("block %d thread %d line %d %s\n", blockIdx.x, threadIdx.x, i, kind(i));
    __syncthreads();
  }
}

__global__ void mark(const char *, int i) {
  if (threadIdx.x == 0)
    printf("kernel %d\n", i);
}

// A string made in the kernel.
__global__ void made() {
  char text[16];
  for (int i = 0; i < 15; ++i)
    text[i] = 'a' + i;
  text[15] = 0;
  printf("%s %s\n", text, text + 10);
}

int main() {
  int *d, returned[8];
  CUDA(cudaMalloc(&d, sizeof returned));
  conversions<<<1, 1>>>(d);
  CUDA(cudaMemcpy(returned, d, sizeof returned, cudaMemcpyDeviceToHost));
  static const int arguments[8] = {8, 0, 6, 8, 4, 0, 2, 0};
  for (int i = 0; i < 8; ++i)
    EXPECT(i == 1 || returned[i] == arguments[i], "printf %d returned %d", i, returned[i]);
  lines<<<1, 64>>>(37);
  CUDA(cudaDeviceSynchronize());
  printf("host: before\n");
  for (int i = 0; i < 3; ++i) {
    mark<<<1, 32>>>("", i);
    printf("host: launched %d\n", i);
    fflush(stdout);
    CUDA(cudaDeviceSynchronize());
  }
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  mark<<<1, 32, 0, stream>>>("", 10);
  printf("host: in a stream\n");
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaStreamDestroy(stream));
  made<<<1, 1>>>();
  CUDA(cudaDeviceSynchronize());
  printf("host: end\n");
  CUDA(cudaFree(d));
  return passed();
}
