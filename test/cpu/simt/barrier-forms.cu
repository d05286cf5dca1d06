// __syncthreads and its reducing forms: every thread of every block gets its block's count, and, or.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void reduceForms(const int *in, int *count, int *all, int *any) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, p = in[i];
  count[i] = __syncthreads_count(p);
  all[i] = __syncthreads_and(p);
  any[i] = __syncthreads_or(p);
}

int main() {
  const int blocks = 40, threads = 96, n = blocks * threads;
  Random random(3);
  std::vector<int> in(n), count(n), all(n), any(n);
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < threads; ++t)
      in[b * threads + t] = b == 0 ? 0 : b == 1 ? 7 : int(random.below(2 + b) == 0) * 5;
  int *d[4];
  for (int *&p : d)
    CUDA(cudaMalloc(&p, n * sizeof(int)));
  CUDA(cudaMemcpy(d[0], in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  reduceForms<<<blocks, threads>>>(d[0], d[1], d[2], d[3]);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(count.data(), d[1], n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(all.data(), d[2], n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(any.data(), d[3], n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int b = 0; b < blocks; ++b) {
    int expected = 0;
    for (int t = 0; t < threads; ++t)
      expected += in[b * threads + t] != 0;
    for (int t = 0; t < threads; ++t) {
      int i = b * threads + t;
      EXPECT(count[i] == expected, "block %d thread %d: %d, not %d", b, t, count[i], expected);
      EXPECT((all[i] != 0) == (expected == threads), "block %d thread %d: %d", b, t, all[i]);
      EXPECT((any[i] != 0) == (expected != 0), "block %d thread %d: %d", b, t, any[i]);
    }
  }
  printf("counts %016llx\n", (unsigned long long)checksum(count));
  for (int *p : d)
    CUDA(cudaFree(p));
  return passed();
}
