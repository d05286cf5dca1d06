// RUN: %gasan -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 %s -fsanitize-gpu-address-tags -o %t.O0
// RUN: %run %t.O0 2>&1 >/dev/null | %silent
// Correct uses of pointers: as arguments, in structs, loaded from memory and made from integers; compared, subtracted,
// swapped by atomics; given to inline PTX, to functions without checks and to the memory functions.
#include <cstdint>
#include <cstdio>
#include <cstring>

struct View {
  int *begin, *end;
  __device__ int *at(int i) const { return begin + i; }
};

struct Table {
  View views[2];
  int *const *rows;
};

__device__ int *published;
__device__ __managed__ int managed[4];
__constant__ int *constant_pointer;

__device__ __noinline__ int span(const View &view) {
  return static_cast<int>(view.end - view.begin);
}

__attribute__((no_sanitize("address"))) __device__ __noinline__ int unchecked(const int *values, int i) {
  return values[i];
}

__device__ int by_ptx(const int *values) {
  int result;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(result) : "l"(values));
  return result;
}

__device__ int by_ptx_global(const int *values) {
  int result;
  asm volatile("{ .reg .u64 a; cvta.to.global.u64 a, %1; ld.global.u32 %0, [a+4]; }" : "=r"(result) : "l"(values));
  return result;
}

__device__ const int *moved_by_ptx(const int *values) {
  const int *result;
  asm("add.u64 %0, %1, 8;" : "=l"(result) : "l"(values));
  return result;
}

/* gasan does not follow this result of the address. The other operands are numbers. */
__device__ int by_ptx_reversed(uintptr_t address, unsigned long long number, unsigned long long *same) {
  int result;
  asm volatile("{ .reg .u64 a; brev.b64 a, %2; brev.b64 a, a; ld.global.u32 %0, [a]; mov.u64 %1, %3; }"
               : "=r"(result), "=l"(*same)
               : "l"(address), "l"(number));
  return result;
}

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      atomicMax(failed, __LINE__);                                                                                     \
  } while (0)

__global__ void use(Table table, uintptr_t number, int **slot, int *failed, int *const *array) {
  const View &view = table.views[0];
  int *const values = view.begin;
  EXPECT(span(view) == 64);
  int sum = 0;
  for (int *p = view.end; p-- != view.begin;)
    sum += *p;
  EXPECT(sum == 64 * 63 / 2);
  EXPECT(reinterpret_cast<int *>(number) == values && reinterpret_cast<int *>(number)[3] == 3);
  EXPECT(table.rows[1] == values + 16 && table.rows[1][2] == 18);
  EXPECT(array[0] == values && array[1] == values + 16 && *array[1] == 16);
  EXPECT(constant_pointer == values && constant_pointer[63] == 63);
  EXPECT(atomicCAS(reinterpret_cast<unsigned long long *>(slot), 0ull, reinterpret_cast<unsigned long long>(values)) ==
         0);
  EXPECT(*slot == values && (*slot)[5] == 5);
  EXPECT(unchecked(values, 7) == 7 && by_ptx(values + 8) == 8 && by_ptx_global(values + 8) == 9);
  EXPECT(moved_by_ptx(values) == values + 2 && *moved_by_ptx(values) == 2);
  unsigned long long same;
  EXPECT(by_ptx_reversed(number, 0x1234567890abcdefull, &same) == 0 && same == 0x1234567890abcdefull);
  EXPECT(__isGlobal(values) && !__isShared(values) && !__isLocal(values));
  EXPECT(__ldg(values + 11) == 11);
  int copy[4];
  memcpy(copy, values + 4, sizeof copy);
  EXPECT(copy[3] == 7);
  memcpy(table.views[1].begin, values, 64 * sizeof(int));
  EXPECT(table.views[1].begin[40] == 40);
  memset(table.views[1].begin, 0, 16);
  EXPECT(table.views[1].begin[3] == 0 && table.views[1].begin[4] == 4);
  const int4 wide = *reinterpret_cast<const int4 *>(values + 60);
  EXPECT(wide.w == 63);
  __shared__ int *shared[2];
  shared[threadIdx.x & 1] = values;
  EXPECT(shared[threadIdx.x & 1][1] == 1);
  int local = 5, *choice = number & 1 ? &local : values;
  EXPECT(*choice == 0);
  managed[1] = 6;
  int *generic = managed;
  EXPECT(generic[1] == 6);
  published = values;
  EXPECT(published[2] == 2 && *(volatile int **)&published == values);
  double whole, rest = modf(2.5, &whole);
  EXPECT(whole + rest == 2.5);
  printf("%p\n", static_cast<void *>(values));
}

template <typename T>
static T *on_device(const T *from, size_t count) {
  T *result;
  cudaMalloc(&result, count * sizeof(T));
  cudaMemcpy(result, from, count * sizeof(T), cudaMemcpyHostToDevice);
  return result;
}

int main() {
  int numbers[64], zero = 0, result = -1;
  for (int i = 0; i < 64; i++)
    numbers[i] = i;
  int *values = on_device(numbers, 64), *other = on_device(numbers, 64), *failed = on_device(&zero, 1), *null = nullptr;
  int *rows[2] = {values, values + 16};
  Table table = {{{values, values + 64}, {other, other + 64}}, on_device(rows, 2)};
  int **slot = on_device(&null, 1);
  cudaMemcpyToSymbol(constant_pointer, &values, sizeof values);
  use<<<1, 1>>>(table, reinterpret_cast<uintptr_t>(values), slot, failed, on_device(rows, 2));
  int *back = nullptr;
  if (cudaMemcpy(&result, failed, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess || result) {
    printf("line %d\n", result);
    return 2;
  }
  if (cudaMemcpyFromSymbol(&back, published, sizeof back) != cudaSuccess || back != values)
    return 3;
  if (managed[1] != 6)
    return 4;
  return cudaFree(back) != cudaSuccess;
}
