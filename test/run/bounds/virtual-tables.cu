// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not %run %t wild 2>&1 | FileCheck %s --check-prefix=WILD
// Objects with virtual functions: a look-up of the compiler's tables needs no search, other pointers' look-ups do.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

struct Shape {
  int side;
  __device__ Shape(int side) : side(side) {}
  __device__ virtual int area() const = 0;
};

struct Square : Shape {
  using Shape::Shape;
  __device__ int area() const override { return side * side; }
};

struct Half : Shape {
  using Shape::Shape;
  __device__ int area() const override { return side * side / 2; }
};

constexpr int kShapes = 6;

__global__ void construct(char *storage, Shape **shapes) {
  int i = threadIdx.x;
  void *place = storage + i * 16;
  shapes[i] = i % 2 ? static_cast<Shape *>(new (place) Square(i)) : static_cast<Shape *>(new (place) Half(i));
}

__global__ void sum(Shape *const *shapes, int *result) {
  int total = 0;
  for (int i = 0; i < kShapes; i++)
    // FREED: ERROR: AddressSanitizer: heap-use-after-free
    // FREED-NEXT: READ of size 8
    // FREED-NEXT: #0 sum({{.*}}virtual-tables.cu:[[#@LINE+7]]:
    // NULL: ERROR: AddressSanitizer: null-address
    // NULL: READ of size 8
    // NULL-NEXT: #0 sum({{.*}}virtual-tables.cu:[[#@LINE+4]]:
    // WILD: ERROR: AddressSanitizer: wild-address
    // WILD-NEXT: READ of size 8
    // WILD-NEXT: #0 sum({{.*}}virtual-tables.cu:[[#@LINE+1]]:
    total += shapes[i]->area();
  *result = total;
}

int main(int, char **arguments) {
  char *storage, *freed;
  Shape **shapes;
  int *result, total = 0;
  cudaMalloc(&storage, kShapes * 16);
  cudaMalloc(&shapes, kShapes * sizeof *shapes);
  cudaMalloc(&result, sizeof *result);
  // FREED: located 0 bytes inside of 64-byte region
  cudaMalloc(&freed, 64);
  cudaFree(freed);
  construct<<<1, kShapes>>>(storage, shapes);
  uintptr_t table = !strcmp(arguments[1], "freed")  ? reinterpret_cast<uintptr_t>(freed)
                    : !strcmp(arguments[1], "wild") ? reinterpret_cast<uintptr_t>(freed) + (uintptr_t(2) << 30)
                                                    : 0;
  if (strcmp(arguments[1], "fine"))
    cudaMemcpy(storage + 3 * 16, &table, sizeof table, cudaMemcpyHostToDevice);
  sum<<<1, 1>>>(shapes, result);
  if (cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  // FINE: lookups of bounds: 0 pointers led to no known memory
  return total != 0 + 1 + 2 + 9 + 8 + 25;
}
