// __constant__ and __device__ variables of another translation unit (-fgpu-rdc). Kernels of both units and the host's
// symbol copies access the same memory; static variables of the same name are separate.
// RUN: %gasan -O2 -fgpu-rdc -c %s -o %t-main.o
// RUN: %gasan -O2 -fgpu-rdc -c %S/inputs/constant-other.cu -o %t-other.o
// RUN: %gasan -fgpu-rdc %t-main.o %t-other.o -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include "inputs/constant-units.h"

static __constant__ int own[4] = {1, 2, 3, 4};

__global__ void mix(int *out) {
  int i = threadIdx.x;
  out[i] = table[i % tableSize] * scale.factor + own[i % 4] + fromOther(i);
  atomicAdd(&calls, 1);
}

int main() {
  const int n = 64;
  std::vector<int> values(tableSize), out(n);
  int *d;
  CUDA(cudaMalloc(&d, n * sizeof(int)));
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < tableSize; ++i)
      values[i] = turn == 0 ? i * i : i * 10 + turn; // the initial values, then copied ones
    int factor = turn == 0 ? 7 : turn;
    if (turn > 0) {
      CUDA(cudaMemcpyToSymbol(table, values.data(), tableSize * sizeof(int)));
      CUDA(cudaMemcpyToSymbol(scale, &factor, sizeof factor, offsetof(Scale, factor)));
    }
    mix<<<1, n>>>(d);
    CUDA(cudaMemcpy(out.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
      int want = values[i % tableSize] * factor + i % 4 + 1 + values[(i + 1) % tableSize] - (100 + i % 4);
      EXPECT(out[i] == want, "turn %d, %d: %d, not %d", turn, i, out[i], want);
    }
    printf("%016llx\n", (unsigned long long)checksum(out));
  }
  int count = 0;
  CUDA(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  EXPECT(count == 3 * n + 5, "%d calls", count);
  CUDA(cudaFree(d));
  return passed();
}
