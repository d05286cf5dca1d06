// __reduce_add/min/max/and/or/xor_sync, signed and unsigned, over full, partial and divergent masks.
// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

enum { Add, Min, Max, AddUnsigned, MinUnsigned, MaxUnsigned, And, Or, Xor, Operations };

__device__ unsigned reduce(int operation, unsigned mask, unsigned value) {
  switch (operation) {
  case Add:
    return __reduce_add_sync(mask, (int)value);
  case Min:
    return __reduce_min_sync(mask, (int)value);
  case Max:
    return __reduce_max_sync(mask, (int)value);
  case AddUnsigned:
    return __reduce_add_sync(mask, value);
  case MinUnsigned:
    return __reduce_min_sync(mask, value);
  case MaxUnsigned:
    return __reduce_max_sync(mask, value);
  case And:
    return __reduce_and_sync(mask, value);
  case Or:
    return __reduce_or_sync(mask, value);
  default:
    return __reduce_xor_sync(mask, value);
  }
}

// Each class of lanes (lane % classes) has its own reduction with its own operation.
__global__ void reduceClasses(int classes, const unsigned *in, unsigned *out) {
  const int lane = threadIdx.x % 32, own = lane % classes;
  const int lanes = min(32, int(blockDim.x) - int(threadIdx.x - lane));
  unsigned mask = 0;
  for (int i = own; i < lanes; i += classes)
    mask |= 1u << i;
  for (int first = 0; first < Operations; ++first)
    out[first * blockDim.x + threadIdx.x] = reduce((first + own) % Operations, mask, in[threadIdx.x]);
}

static unsigned combine(int operation, unsigned a, unsigned b) {
  switch (operation) {
  case Add:
  case AddUnsigned:
    return a + b;
  case Min:
    return int(a) < int(b) ? a : b;
  case Max:
    return int(a) > int(b) ? a : b;
  case MinUnsigned:
    return a < b ? a : b;
  case MaxUnsigned:
    return a > b ? a : b;
  case And:
    return a & b;
  case Or:
    return a | b;
  default:
    return a ^ b;
  }
}

int main() {
  const int threads = 32 * 4 + 11;
  Random random(41);
  std::vector<unsigned> in(threads), out(threads * Operations);
  unsigned *dIn, *dOut;
  CUDA(cudaMalloc(&dIn, threads * sizeof(unsigned)));
  CUDA(cudaMalloc(&dOut, out.size() * sizeof(unsigned)));
  for (int classes = 1; classes <= 32; classes += classes < 4 ? 1 : 7) {
    for (unsigned &x : in)
      x = random.next();
    CUDA(cudaMemcpy(dIn, in.data(), threads * sizeof(unsigned), cudaMemcpyHostToDevice));
    reduceClasses<<<1, threads>>>(classes, dIn, dOut);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), dOut, out.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int first = 0; first < Operations; ++first)
      for (int t = 0; t < threads; ++t) {
        const int own = t % 32 % classes, operation = (first + own) % Operations;
        unsigned expected = in[t / 32 * 32 + own];
        for (int i = own + classes; i < 32 && t / 32 * 32 + i < threads; i += classes)
          expected = combine(operation, expected, in[t / 32 * 32 + i]);
        EXPECT(out[first * threads + t] == expected, "%d classes, operation %d, thread %d: %u, not %u", classes,
               operation, t, out[first * threads + t], expected);
      }
    printf("%d classes: %016llx\n", classes, (unsigned long long)checksum(out));
  }
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
  return passed();
}
