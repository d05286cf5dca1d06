// Correct uses of the device heap: arrays of objects with constructors, alignment, size 0, pointers to allocating
// functions, chunks of every size that one thread allocates and another frees, the heap's limit, and a full heap.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: %options=detect_leaks=1 %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: %options=detect_leaks=1 %run %t.0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fgpu-rdc -fsanitize-gpu-address-mode=bst %s -o %t.rdc
// RUN: %options=detect_leaks=1 %run %t.rdc 2>&1 >/dev/null | %silent
#include <cstdio>
#include <new>

#define EXPECT(condition)                                                                                              \
  if (!(condition))                                                                                                    \
  return std::printf("line %d: %s\n", __LINE__, #condition), 1

struct Counted {
  int *counter;
  char filler[20];
  __device__ Counted() : counter(nullptr) {}
  __device__ ~Counted() { atomicAdd(counter, 1); }
};

__global__ void objects(int *destroyed) {
  Counted *array = new Counted[threadIdx.x + 1];
  for (int i = 0; i <= threadIdx.x; ++i)
    array[i].counter = destroyed;
  delete[] array;
  Counted *one = new Counted;
  one->counter = destroyed;
  delete one;
}

__global__ void sizes(int *wrong) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (size_t size = 1; size < 6000; size = size * 3 + thread % 7) {
    char *memory = static_cast<char *>(malloc(size));
    if (!memory || reinterpret_cast<size_t>(memory) % 16) {
      atomicAdd(wrong, 1);
      continue;
    }
    char *end = memory + size;
    while (end != memory) // end starts one past the end
      *--end = thread;
    for (size_t i = 0; i < size; ++i)
      atomicAdd(wrong, memory[i] != char(thread));
    free(memory);
  }
  free(nullptr);
  free(malloc(0));
}

__device__ int *handed[256];
__global__ void give() {
  handed[threadIdx.x] = new int(threadIdx.x);
}
__global__ void take(int *wrong) {
  int *mine = handed[255 - threadIdx.x];
  atomicAdd(wrong, *mine != 255 - threadIdx.x);
  delete mine;
}

using Allocate = void *(*)(size_t);
__device__ Allocate volatile allocate = malloc;
__device__ void (*volatile deallocate)(void *) = free;
__global__ void indirect(int *wrong) {
  int *memory = static_cast<int *>(allocate(40));
  memory[9] = 1;
  atomicAdd(wrong, memory[9] != 1);
  deallocate(memory);
}

__device__ void *pieces[1000];
__global__ void exhaust(size_t size, int *count) {
  *count = 0;
  while (*count < 1000 && (pieces[*count] = malloc(size)))
    ++*count;
  for (int i = 0; i < *count; ++i)
    free(pieces[i]);
}

int main() {
  int *results, count = 0, wrong = 0;
  size_t limit = 16 << 20;
  EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, limit) == cudaSuccess);
  cudaMalloc(&results, 2 * sizeof(int));
  cudaMemset(results, 0, 2 * sizeof(int));
  objects<<<1, 64>>>(results);
  cudaMemcpy(&count, results, sizeof count, cudaMemcpyDeviceToHost);
  EXPECT(count == 64 * 65 / 2 + 64);
  sizes<<<20, 64>>>(results + 1);
  for (int i = 0; i < 20; ++i) {
    give<<<1, 256>>>();
    take<<<1, 256>>>(results + 1);
  }
  indirect<<<1, 4>>>(results + 1);
  for (int i = 0; i < 3; ++i) {
    exhaust<<<1, 1>>>(256 << 10, results);
    cudaMemcpy(&count, results, sizeof count, cudaMemcpyDeviceToHost);
    EXPECT(count * (256 << 10) <= limit && count * (256 << 10) >= limit / 2);
  }
  exhaust<<<1, 1>>>(limit + 1, results);
  cudaMemcpy(&count, results, sizeof count, cudaMemcpyDeviceToHost);
  EXPECT(count == 0);
  exhaust<<<1, 1>>>(~size_t(0), results);
  cudaMemcpy(&count, results, sizeof count, cudaMemcpyDeviceToHost);
  EXPECT(count == 0);
  cudaMemcpy(&wrong, results + 1, sizeof wrong, cudaMemcpyDeviceToHost);
  EXPECT(wrong == 0);
  EXPECT(cudaFree(results) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
}
