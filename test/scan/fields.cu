// Arrays in structures: an index that leaves its array, and stays in the memory. The rules are those of gasan's checks.
// RUN: not %verdicts --replay %s > %t 2>&1; FileCheck %s < %t
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdlib>

#ifdef FIXED
#define LESS 1
#else
#define LESS 0
#endif

struct Item {
  int weights[4];
  long key;
};

template <typename T>
struct Record {
  int id;
  T values[8];
  Item items[2];
  float matrix[4][4];
  T last[1];
};

using Numbers = Record<int>;

// CHECK: possible intra-object-overflow for n = 8
// CHECK-NEXT: WRITE of size 4 0 bytes after 32-byte field 'Record<int>::values' of 'p', by thread (0,0,0)
// CHECK-NEXT: #0 in plain {{.*}}fields.cu:[[#@LINE+3]]:25
// CHECK: 'p' was allocated by cudaMalloc
__global__ void plain(Numbers *p, int n) {
  p[1].values[n - LESS] = 1;
}

// CHECK: WRITE of size 4 0 bytes after 16-byte field 'Item::weights' of 'p'
// CHECK-NEXT: #0 in inner {{.*}}fields.cu:[[#@LINE+2]]:
__global__ void inner(Numbers *p, int n) {
  p->items[0].weights[n - 4 - LESS] = 1;
}

// CHECK: WRITE of size 24 0 bytes after 48-byte field 'Record<int>::items' of 'p'
// CHECK-NEXT: #0 in copied {{.*}}fields.cu:[[#@LINE+2]]:
__global__ void copied(Numbers *p, int n, Item item) {
  p->items[n - 6 - LESS] = item;
}

// CHECK: ATOMIC of size 4 0 bytes after 32-byte field 'Record<int>::values' of 'p'
// CHECK: in atomically {{.*}}fields.cu:[[#@LINE+2]]:
__global__ void atomically(Numbers *p, int n) {
  atomicAdd(&p->values[n - LESS], 1);
}

// CHECK: READ of size 4 0 bytes after 32-byte field 'Record<int>::values' of global variable 'constants'
// CHECK-NEXT: #0 in fromConstant {{.*}}fields.cu:[[#@LINE+3]]:
__constant__ Numbers constants;
__global__ void fromConstant(int *out, int n) {
  *out = constants.values[n - LESS];
}

// CHECK: READ of size 4 0 bytes after 32-byte field 'Record<int>::values' of
// CHECK-NEXT: #0 in throughMemory {{.*}}fields.cu:[[#@LINE+2]]:
__global__ void throughMemory(Numbers **all, int *out, int n) {
  *out = all[0]->values[n - LESS];
}

// Correct, or not compared: rows are one field, an array of one element at the end may go on, a pointer may leave its
// array, and the members of a union overlap.
union Either {
  int few[2];
  int many[16];
};
struct HasUnion {
  Either either;
  int more[4];
};
__global__ void correct(Numbers *p, HasUnion *u, int n) {
  p->matrix[0][n + 7] = 1;
  p->last[n - 6] = 1;
  int *one = &p->values[0];
  one[n] = 1;
  const int *end = &p->values[n];
  for (const int *each = p->values; each != end; each++)
    p->id += *each;
  u->either.few[n] = 2;
  for (int i = 0; i < 8; i++)
    p->values[i] = p->values[7 - i];
}

// CHECK: 6 possible
// CHECK: 6 of 6 possible errors confirmed on the CPU device
// FIXED-NOT: ERROR
// FIXED: proven, 0 proven if no signed integer overflows, 0 possible

int main(int argc, char **argv) {
  int n = atoi(argv[1]), *out;
  if (n < 8 || n > 8)
    return 2;
  Numbers *p, **all;
  HasUnion *u;
  cudaMalloc(&p, 4 * sizeof(Numbers));
  cudaMalloc(&u, sizeof(HasUnion));
  cudaMalloc(&all, 8);
  cudaMalloc(&out, 4);
  cudaMemcpy(all, &p, 8, cudaMemcpyHostToDevice);
  plain<<<1, 1>>>(p, n);
  inner<<<1, 1>>>(p, n);
  copied<<<1, 1>>>(p, n, Item());
  atomically<<<1, 1>>>(p, n);
  fromConstant<<<1, 1>>>(out, n);
  throughMemory<<<1, 1>>>(all, out, n);
  correct<<<1, 1>>>(p, u, n);
}
