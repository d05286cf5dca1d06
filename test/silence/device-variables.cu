// __device__ and __constant__ variables that are or contain pointers: set by the host, passed by address as arguments
// and in tables. Also constants of the compiler (literals, tables of switches), static variables in functions, and
// negative offsets into the same array.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__device__ int values[100];
__device__ int *head;
__device__ int *const fixed_places[] = {values + 50, values + 99, values + 100};
__constant__ struct {
  const int *data;
  int weights[4];
} settings;
__device__ constexpr short lookup[] = {3, 1, 4, 1, 5, 9, 2, 6};
template <int N>
__device__ int per_type[N];

static __attribute__((noinline)) __device__ int name_length(int which) {
  const char *const names[] = {"a", "some", "longer names"};
  int length = 0;
  while (names[which][length])
    ++length;
  return length;
}

static __attribute__((noinline)) __device__ int switched(int key) {
  switch (key) {
  case 0:
    return 17;
  case 1:
    return 23;
  case 2:
    return 5;
  case 3:
    return 99;
  case 4:
    return 1;
  case 5:
    return 12;
  }
  return -1;
}

__device__ int counted() {
  static int count;
  return atomicAdd(&count, 1);
}

__global__ void use(int *argument, int index, int *out) {
  values[index] = index;
  int total = argument[index - 10] + head[-5] + fixed_places[0][index - 50] + fixed_places[1][-1] + fixed_places[2][-1];
  total += settings.data[index] * settings.weights[index & 3] + lookup[index & 7];
  per_type<8>[index & 7] = 1;
  per_type<16>[index & 15] = 2;
  for (int i = 0; i < 3; ++i)
    total += name_length(i);
  for (int i = 0; i < 7; ++i)
    total += switched(i);
  *out = total + counted() + per_type<8>[index & 7] + per_type<16>[index & 15];
}

int main() {
  std::vector<int> host(100);
  for (int i = 0; i < 100; ++i)
    host[i] = i;
  CUDA(cudaMemcpyToSymbol(values, host.data(), sizeof(int) * 100));
  int *address;
  CUDA(cudaGetSymbolAddress(reinterpret_cast<void **>(&address), values));
  int *interior = address + 20;
  CUDA(cudaMemcpyToSymbol(head, &interior, sizeof interior));
  Buffer<int> data(host), out(1);
  struct {
    const int *data;
    int weights[4];
  } mine = {data, {1, 2, 3, 4}};
  CUDA(cudaMemcpyToSymbol(settings, &mine, sizeof mine));
  use<<<1, 1>>>(address + 10, 60, out);
  EXPECT(out.host()[0] == 60 + 15 + 60 + 98 + 99 + 60 + 5 + 17 + 156 + 3, "%d", out.host()[0]);
  return passed();
}
