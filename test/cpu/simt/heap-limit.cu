// cudaLimitMallocHeapSize: kernels get no more memory than this limit; beyond, malloc returns a null pointer. Freed
// memory is available again.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

constexpr size_t Piece = 64 << 10;
constexpr int Most = 4096;

__global__ void fill(void **pieces, int most, int *count) {
  int n = 0;
  while (n < most) {
    void *piece = malloc(Piece);
    if (!piece)
      break;
    *static_cast<volatile int *>(piece) = n;
    pieces[n++] = piece;
  }
  *count = n;
}

__global__ void empty(void **pieces, int count, int *wrong) {
  for (int i = 0; i < count; ++i) {
    *wrong += *static_cast<volatile int *>(pieces[i]) != i;
    free(pieces[i]);
  }
}

__device__ void *volatile seen; // forces the compiler to keep the malloc

__global__ void tooLarge(size_t size, int *got) {
  void *piece = malloc(size);
  seen = piece;
  *got = piece != nullptr;
  free(piece);
}

int main() {
  const size_t wanted = 16 << 20;
  size_t limit = 0;
  CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, wanted));
  CUDA(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  EXPECT(limit >= wanted, "%zu", limit);
  void **pieces;
  int *d, counts[2], wrong = 0, got = 0;
  CUDA(cudaMalloc(&pieces, Most * sizeof(void *)));
  CUDA(cudaMalloc(&d, 2 * sizeof(int)));
  CUDA(cudaMemset(d, 0, 2 * sizeof(int)));
  for (int &count : counts) {
    fill<<<1, 1>>>(pieces, Most, d);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&count, d, sizeof count, cudaMemcpyDeviceToHost));
    EXPECT(count * Piece <= limit, "%d pieces are more than %zu bytes", count, limit);
    EXPECT(count * Piece >= wanted / 2, "only %d pieces", count);
    empty<<<1, 1>>>(pieces, count, d + 1);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
  }
  CUDA(cudaMemcpy(&wrong, d + 1, sizeof wrong, cudaMemcpyDeviceToHost));
  EXPECT(wrong == 0, "%d pieces are changed", wrong);
  for (size_t size : {2 * limit, size_t(1) << 50}) {
    tooLarge<<<1, 1>>>(size, d);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == 0, "%zu bytes of %zu", size, limit);
  }
  printf("limited\n");
  CUDA(cudaFree(pieces));
  CUDA(cudaFree(d));
  return passed();
}
