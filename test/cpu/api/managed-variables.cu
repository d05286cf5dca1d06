// __managed__ variables: one memory for host and device, initialised before main, and accessible by symbol calls.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

struct Node {
  int value;
  Node *next;
};

__managed__ int counter = 7;
__device__ __managed__ double table[100] = {1.5, 2.5, 3.5};
static __managed__ Node nodes[4] = {{1, nullptr}, {2, nullptr}, {3, nullptr}, {4, nullptr}};
__managed__ unsigned long long *pointer;
__managed__ int untouched[3] = {10, 20, 30};
template <typename T>
struct Holder {
  static __managed__ T value;
};
template <typename T>
__managed__ T Holder<T>::value = T(3);
inline __managed__ short shorts[5] = {-1, -2, -3};

static int before_main = counter + int(table[2] * 2) + untouched[1]; // static constructors see initial values

__device__ int chase(const Node *node) {
  return node ? node->value + chase(node->next) : 0;
}

__device__ __noinline__ int *choose(bool first) {
  return first ? &counter : &untouched[2];
}

__global__ void work(int *sum, int **addresses) {
  int i = threadIdx.x;
  atomicAdd(&counter, 1);
  if (blockIdx.x)
    return;
  if (i < 100)
    table[i] = table[i] * 2 + i;
  if (i == 0) {
    *sum = chase(nodes);
    addresses[0] = choose(true);
    addresses[1] = choose(false);
    Holder<float>::value += 0.5f;
    shorts[4] = shorts[0] + shorts[1] + shorts[2];
    if (pointer)
      *pointer += 5;
  }
}

int main() {
  EXPECT(before_main == 7 + 7 + 20, "%d", before_main);
  EXPECT(counter == 7 && table[1] == 2.5 && table[3] == 0 && nodes[3].value == 4 && !pointer && shorts[2] == -3,
         "initial");
  EXPECT(Holder<float>::value == 3.0f, "%g", Holder<float>::value);
  for (int i = 0; i < 3; ++i)
    nodes[i].next = &nodes[i + 1]; // host pointers, followed by the device
  CUDA(cudaMallocManaged(&pointer, sizeof *pointer));
  *pointer = 37;
  int *sum, **addresses;
  CUDA(cudaMallocManaged(&sum, sizeof *sum));
  CUDA(cudaMallocManaged(&addresses, 2 * sizeof *addresses));
  for (int round = 1; round <= 3; ++round) {
    counter = 100 * round;
    work<<<5, 128>>>(sum, addresses);
    CUDA(cudaDeviceSynchronize());
    EXPECT(counter == 100 * round + 640, "round %d: %d", round, counter);
    EXPECT(*sum == 10, "%d", *sum);
    EXPECT(*pointer == 37u + 5 * round, "%llu", *pointer);
    EXPECT(Holder<float>::value == 3.0f + 0.5f * round && shorts[4] == -6, "%g %d", Holder<float>::value, shorts[4]);
  }
  EXPECT(addresses[0] == &counter && addresses[1] == &untouched[2], "addresses are the host's");

  void *address;
  size_t size;
  CUDA(cudaGetSymbolAddress(&address, counter));
  CUDA(cudaGetSymbolSize(&size, table));
  EXPECT(address == &counter && size == sizeof table, "%zu", size);
  int values[3] = {11, 12, 13}, got[2] = {};
  CUDA(cudaMemcpyToSymbol(untouched, values, sizeof values));
  CUDA(cudaMemcpyFromSymbol(got, untouched, sizeof got, sizeof(int)));
  EXPECT(untouched[0] == 11 && got[0] == 12 && got[1] == 13, "%d %d %d", untouched[0], got[0], got[1]);
  EXPECT(cudaMemcpyToSymbol(untouched, values, sizeof values, 4) == cudaErrorInvalidValue, "past the end");
  cudaGetLastError();
  printf("counter %d sum %d\n", counter, *sum);
  CUDA(cudaFree(pointer));
  CUDA(cudaFree(sum));
  CUDA(cudaFree(addresses));
  return passed();
}
