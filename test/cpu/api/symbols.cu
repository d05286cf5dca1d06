// Copies to and from variables with offsets, in each form; addresses and sizes; invalid calls are errors.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

struct Record {
  char name[6];
  double weight;
};
__device__ int numbers[100] = {1, 2, 3};
__constant__ float factors[16] = {0.5f, 1.5f};
__constant__ Record record = {"abc", 2.25};
__device__ long long total = 5;
static __device__ short small_own[7] = {7, 6, 5};
namespace inner {
__device__ unsigned char bytes[33];
}
template <typename T>
__device__ T cell = T(9);

__global__ void use(double *out) {
  int i = threadIdx.x;
  numbers[i] += int(factors[i % 16] * 2);
  atomicAdd((unsigned long long *)&total, (unsigned long long)i);
  if (i == 0) {
    *out = record.weight + record.name[1] + small_own[2] + inner::bytes[32] + cell<int>;
    cell<int> += 1;
  }
}

int main() {
  size_t size;
  CUDA(cudaGetSymbolSize(&size, numbers));
  EXPECT(size == sizeof(int) * 100, "%zu", size);
  CUDA(cudaGetSymbolSize(&size, record));
  EXPECT(size == sizeof(Record), "%zu", size);
  CUDA(cudaGetSymbolSize(&size, inner::bytes));
  EXPECT(size == 33, "%zu", size);
  float factor[2];
  CUDA(cudaMemcpyFromSymbol(factor, factors, sizeof factor)); // initial values
  EXPECT(factor[0] == 0.5f && factor[1] == 1.5f, "%g %g", factor[0], factor[1]);
  std::vector<int> host(100), expected(100);
  Random random(4);
  for (int i = 0; i < 100; ++i)
    expected[i] = host[i] = int(random.below(1000));
  CUDA(cudaMemcpyToSymbol(numbers, host.data(), 60 * sizeof(int)));
  CUDA(cudaMemcpyToSymbol(numbers, host.data() + 60, 40 * sizeof(int), 60 * sizeof(int), cudaMemcpyHostToDevice));
  float all[16];
  for (int i = 0; i < 16; ++i)
    all[i] = float(i) / 2;
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaMemcpyToSymbolAsync(factors, all, sizeof all, 0, cudaMemcpyHostToDevice, stream));
  Record changed = {"xyz", 100.5};
  CUDA(cudaMemcpyToSymbolAsync(record, &changed, sizeof changed, 0, cudaMemcpyDefault, stream));
  unsigned char last = 200;
  CUDA(cudaMemcpyToSymbolAsync(inner::bytes, &last, 1, 32, cudaMemcpyHostToDevice, stream));
  CUDA(cudaStreamSynchronize(stream));
  double *out, got_out;
  CUDA(cudaMalloc(&out, sizeof *out));
  use<<<1, 100, 0, stream>>>(out);
  CUDA(cudaMemcpyAsync(&got_out, out, sizeof got_out, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  EXPECT(got_out == 100.5 + 'y' + 5 + 200 + 9, "%g", got_out);
  std::vector<int> got(100);
  CUDA(cudaMemcpyFromSymbolAsync(got.data(), numbers, 100 * sizeof(int), 0, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  for (int i = 0; i < 100; ++i)
    EXPECT(got[i] == expected[i] + i % 16, "%d: %d", i, got[i]);
  long long got_total;
  int got_cell, *inside;
  CUDA(cudaMemcpyFromSymbol(&got_total, total, sizeof got_total));
  CUDA(cudaMemcpyFromSymbol(&got_cell, cell<int>, sizeof got_cell));
  EXPECT(got_total == 5 + 4950 && got_cell == 10, "%lld %d", got_total, got_cell);

  // Copies and kernels accept a variable's address.
  CUDA(cudaGetSymbolAddress((void **)&inside, numbers));
  CUDA(cudaMemcpy(inside + 10, inside, 10 * sizeof(int), cudaMemcpyDeviceToDevice));
  CUDA(cudaMemcpyToSymbol(numbers, inside + 40, 10 * sizeof(int), 20 * sizeof(int), cudaMemcpyDeviceToDevice));
  CUDA(cudaMemcpyFromSymbol(host.data(), numbers, 50 * sizeof(int)));
  for (int i = 0; i < 10; ++i)
    EXPECT(host[10 + i] == got[i] && host[20 + i] == got[40 + i], "%d", i);

  void *address;
  int one = 1;
  EXPECT(cudaMemcpyToSymbol(total, &one, 8, 1) == cudaErrorInvalidValue, "past the end");
  EXPECT(cudaMemcpyFromSymbol(&one, total, 4, 9) == cudaErrorInvalidValue, "past the end");
  EXPECT(cudaMemcpyToSymbol(numbers, &one, 4, 0, cudaMemcpyDeviceToHost) == cudaErrorInvalidMemcpyDirection,
         "direction");
  EXPECT(cudaGetSymbolAddress(&address, one) == cudaErrorInvalidSymbol, "a host variable");
  EXPECT(cudaMemcpyToSymbol(got_total, &one, 4) == cudaErrorInvalidSymbol, "a host variable");
  EXPECT(cudaGetLastError() == cudaErrorInvalidSymbol && cudaGetLastError() == cudaSuccess, "not sticky");
  printf("%016llx %g\n", (unsigned long long)checksum(got), got_out);
  CUDA(cudaFree(out));
  CUDA(cudaStreamDestroy(stream));
  return passed();
}
