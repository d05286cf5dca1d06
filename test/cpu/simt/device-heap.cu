// The device heap: malloc, free, new and delete in kernels, from all threads of all blocks at once, also across
// launches and threads. The allocations do not overlap, are aligned, and hold their values.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

struct List {
  int value;
  List *next;
  __device__ List(int v, List *n) : value(v), next(n) {}
};

__global__ void build(List **lists, int *wrong) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  List *list = nullptr;
  for (int i = 0; i < t % 20; ++i) {
    list = new List(t * 100 + i, list);
    if (reinterpret_cast<size_t>(list) % alignof(List))
      atomicAdd(wrong, 1);
  }
  lists[t] = list;
}

// Other threads get the lists and reverse them.
__global__ void reverse(List **lists, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  List *list = lists[n - 1 - t], *reversed = nullptr;
  while (list) {
    List *next = list->next;
    list->next = reversed;
    reversed = list;
    list = next;
  }
  lists[n - 1 - t] = reversed;
}

__global__ void addUpAndFree(List **lists, int *sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (List *list = lists[t]; list;) {
    sum = sum * 3 + list->value;
    List *next = list->next;
    delete list;
    list = next;
  }
  sums[t] = int(sum);
}

// Allocations of many sizes are filled, checked after the last allocation, and freed, several times.
__global__ void churn(int rounds, int *wrong) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    unsigned char *blocks[4];
    for (int i = 0; i < 4; ++i) {
      const int size = 1 + (t * 31 + i * 97 + round * 13) % 200;
      blocks[i] = static_cast<unsigned char *>(malloc(size));
      if (!blocks[i] || reinterpret_cast<size_t>(blocks[i]) % 16) {
        atomicAdd(wrong, 1);
        return;
      }
      memset(blocks[i], (t + i) & 255, size);
    }
    __syncwarp();
    for (int i = 0; i < 4; ++i) {
      const int size = 1 + (t * 31 + i * 97 + round * 13) % 200;
      for (int k = 0; k < size; ++k)
        if (blocks[i][k] != ((t + i) & 255))
          atomicAdd(wrong, 1);
      free(blocks[i]);
    }
  }
  free(nullptr);
}

// One block of memory for each block of threads, as in the CUDA programming guide.
__global__ void perBlock(int *out) {
  __shared__ int *data;
  if (threadIdx.x == 0)
    data = new int[blockDim.x * 4];
  __syncthreads();
  if (!data)
    return;
  for (int i = 0; i < 4; ++i)
    data[i * blockDim.x + threadIdx.x] = threadIdx.x * i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += data[threadIdx.x * 4 + i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    delete[] data;
}

int main() {
  const int blocks = 8, threads = 96, n = blocks * threads;
  CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
  List **lists;
  int *sums, *wrong, count = 0;
  CUDA(cudaMalloc(&lists, n * sizeof(List *)));
  CUDA(cudaMalloc(&sums, n * sizeof(int)));
  CUDA(cudaMalloc(&wrong, sizeof(int)));
  CUDA(cudaMemset(wrong, 0, sizeof(int)));
  build<<<blocks, threads>>>(lists, wrong);
  reverse<<<threads, blocks>>>(lists, n);
  addUpAndFree<<<blocks, threads>>>(lists, sums);
  CUDA(cudaGetLastError());
  std::vector<int> got(n);
  CUDA(cudaMemcpy(got.data(), sums, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    unsigned sum = 0;
    for (int i = 0; i < t % 20; ++i)
      sum = sum * 3 + t * 100 + i;
    EXPECT(got[t] == int(sum), "list %d: %d, not %d", t, got[t], int(sum));
  }
  printf("lists %016llx\n", (unsigned long long)checksum(got));
  churn<<<blocks, threads>>>(20, wrong);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
  EXPECT(count == 0, "%d bytes or blocks are wrong", count);
  perBlock<<<blocks, threads>>>(sums);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(got.data(), sums, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    int sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += (t % threads * 4 + i) % threads * ((t % threads * 4 + i) / threads);
    EXPECT(got[t] == sum, "thread %d: %d, not %d", t, got[t], sum);
  }
  printf("blocks %016llx\n", (unsigned long long)checksum(got));
  CUDA(cudaFree(lists));
  CUDA(cudaFree(sums));
  CUDA(cudaFree(wrong));
  return passed();
}
