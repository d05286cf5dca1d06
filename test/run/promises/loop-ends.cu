// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t pointer 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not %run %t int 2>&1 | FileCheck %s --check-prefix=INT
// RUN: not %run %t unsigned 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// RUN: not %run %t size 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not %run %t down 2>&1 | FileCheck %s --check-prefix=DOWN
// RUN: not %run %t break 2>&1 | FileCheck %s --check-prefix=BREAK
// RUN: not %run %t block 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not %run %t back 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: not %run %t struct 2>&1 | FileCheck %s --check-prefix=STRUCT
// RUN: not %run %t shared 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not %run %t local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not %run %t either 2>&1 | FileCheck %s --check-prefix=EITHER
// RUN: not %run %t changing 2>&1 | FileCheck %s --check-prefix=CHANGING
// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t.unproven
// RUN: not %run %t.unproven pointer 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not %run %t.unproven int 2>&1 | FileCheck %s --check-prefix=INT
// RUN: not %run %t.unproven break 2>&1 | FileCheck %s --check-prefix=BREAK
// RUN: not %run %t.unproven struct 2>&1 | FileCheck %s --check-prefix=STRUCT
// RUN: not %run %t.unproven local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: %gasan -O1 %s -o %t.1
// RUN: not %run %t.1 pointer 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not %run %t.1 unsigned 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// RUN: not %run %t.1 block 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not %run %t.1 shared 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: %gasan -O3 %s -o %t.3
// RUN: not %run %t.3 size 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not %run %t.3 down 2>&1 | FileCheck %s --check-prefix=DOWN
// RUN: not %run %t.3 back 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: not %run %t.3 local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed pointer int unsigned size down break block back struct shared local either changing 2>&1 \
// RUN:   >/dev/null | %silent
// A loop with the condition i != end steps over its end. The language promises that this does not happen, and LLVM
// derives the number of rounds from the promise. The promise is broken only after the bad access. `#pragma unroll 1`:
// an unrolled loop uses LLVM's number of rounds and never makes the bad access.
#include <cstdlib>
#include <cstring>

#ifdef FIXED
constexpr int kOver = 0; // elements beyond the buffer's 100
#else
constexpr int kOver = 2;
#endif

__global__ void pointer(const float *first, const float *last, float *sum) {
  float own = 0;
  // POINTER: ERROR: AddressSanitizer: heap-buffer-overflow
  // POINTER-NEXT: READ of size 4
  // POINTER-NEXT: #0 pointer(float const*, float const*, float*) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (const float *p = first + threadIdx.x; p != last; p += 32)
    own += *p;
  sum[threadIdx.x] = own;
}

__global__ void ints(int *values, int n) {
  // INT: ERROR: AddressSanitizer: heap-buffer-overflow
  // INT-NEXT: WRITE of size 4
  // INT-NEXT: #0 ints(int*, int) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (int i = 0; i != n; i += 4)
    values[i] = 1;
}

__global__ void unsigneds(int *values, unsigned n) {
  // UNSIGNED: ERROR: AddressSanitizer: heap-buffer-overflow
  // UNSIGNED-NEXT: WRITE of size 4
  // UNSIGNED-NEXT: #0 unsigneds(int*, unsigned int) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (unsigned i = 0; i != n; i += 4)
    values[i] = 1;
}

__global__ void sizes(int *values, size_t n) {
  // SIZE: ERROR: AddressSanitizer: heap-buffer-overflow
  // SIZE-NEXT: WRITE of size 4
  // SIZE-NEXT: #0 sizes(int*, unsigned long) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (size_t i = 0; i != n; i += 4)
    values[i] = 1;
}

__global__ void down(int *values, int n) {
  // DOWN: ERROR: AddressSanitizer: heap-buffer-overflow
  // DOWN-NEXT: WRITE of size 4
  // DOWN-NEXT: #0 down(int*, int) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (int i = n; i != 0; i -= 3)
    values[i - 1] = 1;
}

__global__ void left(int *values, int n) {
#pragma unroll 1
  for (int i = 0;; i += 4) {
    // BREAK: ERROR: AddressSanitizer: heap-buffer-overflow
    // BREAK-NEXT: WRITE of size 4
    // BREAK-NEXT: #0 left(int*, int) {{.*}}loop-ends.cu:[[#@LINE+1]]:
    values[i] = 1;
    if (i == n)
      break;
  }
}

__global__ void block(int *first, int *last) {
  // BLOCK: ERROR: AddressSanitizer: heap-buffer-overflow
  // BLOCK-NEXT: WRITE of size 4
  // BLOCK-NEXT: #0 block(int*, int*) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (int *p = first + threadIdx.x; p != last; p += blockDim.x)
    *p = 1;
}

__global__ void back(int *first, int *last) {
  // BACK: ERROR: AddressSanitizer: heap-buffer-overflow
  // BACK-NEXT: WRITE of size 4
  // BACK-NEXT: #0 back(int*, int*) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (int *p = last; p != first; p -= 3)
    p[-1] = 1;
}

struct Point {
  int x, y, z;
};

__global__ void structs(Point *points, char *end) {
  // STRUCT: ERROR: AddressSanitizer: heap-buffer-overflow
  // STRUCT-NEXT: WRITE of size 4
  // STRUCT-NEXT: #0 structs(Point*, char*) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (Point *p = points; reinterpret_cast<char *>(p) != end; ++p)
    p->y = 1;
}

__global__ void shared(int *values, int n) {
  __shared__ int tile[100];
  // SHARED: ERROR: AddressSanitizer: shared-buffer-overflow
  // SHARED-NEXT: WRITE of size 4
  // SHARED-NEXT: #0 shared(int*, int) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (int i = 0; i != n; i += 4)
    tile[i] = i;
  values[0] = tile[n % 100];
}

__global__ void local(int *values, int n) {
  int own[100];
  // LOCAL: ERROR: AddressSanitizer: stack-buffer-overflow
  // LOCAL-NEXT: WRITE of size 4
  // LOCAL-NEXT: #0 local(int*, int) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (int i = 0; i != n; i += 4)
    own[i] = i;
  values[0] = own[n / 4 * 4 % 100];
}

// Two ends; the loop meets neither.
__global__ void either(int *values, int n, int m) {
  // EITHER: ERROR: AddressSanitizer: heap-buffer-overflow
  // EITHER-NEXT: WRITE of size 4
  // EITHER-NEXT: #0 either(int*, int, int) {{.*}}loop-ends.cu:[[#@LINE+3]]:
#pragma unroll 1
  for (int i = 0; i != n && i != m; i += 4)
    values[i] = 1;
}

// The loop changes its end.
__global__ void changing(int *values, int *n) {
  // CHANGING: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHANGING-NEXT: WRITE of size 4
  // CHANGING-NEXT: #0 changing(int*, int*) {{.*}}loop-ends.cu:[[#@LINE+5]]:
#pragma unroll 1
  for (int i = 0; i != *n; i += 4) {
    if (i == 52)
      *n += kOver;
    values[i] = 1;
  }
}

int main(int, char **arguments) {
  // POINTER: is located {{[0-9]+}} bytes after 400-byte region
  // INT: is located 0 bytes after 400-byte region
  // UNSIGNED: is located 0 bytes after 400-byte region
  // SIZE: is located 0 bytes after 400-byte region
  // DOWN: is located {{[48]}} bytes before 400-byte region
  // BREAK: is located 0 bytes after 400-byte region
  // BLOCK: is located {{[0-9]+}} bytes after 400-byte region
  // BACK: is located {{[48]}} bytes before 400-byte region
  // STRUCT: is located {{[0-9]+}} bytes after 400-byte region
  // SHARED: 0 bytes after {{.*}}'tile'
  // LOCAL: 0 bytes after {{.*}}'own'
  // EITHER: is located 0 bytes after 400-byte region
  // CHANGING: is located 0 bytes after 400-byte region
  int *values, *n, start = 100;
  float *sum;
  cudaMalloc(&values, 100 * sizeof(int));
  cudaMalloc(&n, sizeof(int));
  cudaMalloc(&sum, 32 * sizeof(float));
  cudaMemset(values, 0, 100 * sizeof(int));
  cudaMemcpy(n, &start, sizeof(int), cudaMemcpyHostToDevice);
  while (const char *name = *++arguments) {
    auto is = [&](const char *other) { return strcmp(name, other) == 0; };
    float *first = reinterpret_cast<float *>(values);
    if (is("pointer"))
      pointer<<<1, kOver ? 32 : 1>>>(first + 4, first + 100, sum);
    else if (is("int"))
      ints<<<1, 1>>>(values, 100 - kOver);
    else if (is("unsigned"))
      unsigneds<<<1, 1>>>(values, 100 - kOver);
    else if (is("size"))
      sizes<<<1, 1>>>(values, 100 - kOver);
    else if (is("down"))
      down<<<1, 1>>>(values, 99 - kOver / 2);
    else if (is("break"))
      left<<<1, 1>>>(values, 96 + kOver);
    else if (is("block"))
      block<<<1, kOver ? 32 : 1>>>(values, values + 100);
    else if (is("back"))
      back<<<1, 1>>>(values, values + 99 - kOver / 2);
    else if (is("struct"))
      structs<<<1, 1>>>(reinterpret_cast<Point *>(values), reinterpret_cast<char *>(values + 99 + kOver / 2));
    else if (is("shared"))
      shared<<<1, 1>>>(values, 100 - kOver);
    else if (is("local"))
      local<<<1, 1>>>(values, 100 - kOver);
    else if (is("either"))
      either<<<1, 1>>>(values, 100 - kOver, 1000 + kOver);
    else if (is("changing"))
      changing<<<1, 1>>>(values, n);
    cudaDeviceSynchronize();
  }
  cudaFree(values);
  cudaFree(n);
  cudaFree(sum);
  return cudaDeviceSynchronize() != cudaSuccess;
}
