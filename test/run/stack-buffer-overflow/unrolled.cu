// Local and constant arrays that a loop with a constant number of rounds, or a constant index, leaves. The optimiser
// unrolls such a loop, and then drops the access.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t read 2>&1 | FileCheck %s --check-prefixes=READ,EACH
// RUN: not %run %t write 2>&1 | FileCheck %s --check-prefixes=WRITE,EACH
// RUN: not %run %t down 2>&1 | FileCheck %s --check-prefixes=DOWN,EACH
// RUN: not %run %t rows 2>&1 | FileCheck %s --check-prefixes=ROWS,EACH
// RUN: not %run %t called 2>&1 | FileCheck %s --check-prefixes=CALLED,EACH
// RUN: not %run %t constant 2>&1 | FileCheck %s --check-prefixes=CONSTANT,EACH
// RUN: not %run %t initialised 2>&1 | FileCheck %s --check-prefix=INITIALISED
// RUN: not %run %t table 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: %run %t guarded 2>&1 >/dev/null | %silent
// RUN: %run %t left 2>&1 >/dev/null | %silent
// RUN: %gasan -O1 %s -o %t.1
// RUN: not %run %t.1 read 2>&1 | FileCheck %s --check-prefixes=READ,EACH
// RUN: not %run %t.1 rows 2>&1 | FileCheck %s --check-prefixes=ROWS,EACH
// RUN: %gasan -O3 -fgpu-rdc %s -o %t.3
// RUN: not %run %t.3 read 2>&1 | FileCheck %s --check-prefixes=READ,EACH
// RUN: not %run %t.3 constant 2>&1 | FileCheck %s --check-prefixes=CONSTANT,EACH
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: for kernel in read write down rows called constant initialised table guarded left; do \
// RUN:   %run %t.fixed $kernel 2>&1 >/dev/null | %silent || exit 1; done
#include <cstring>

#ifdef FIXED
constexpr int kOver = 0; // elements beyond the array
#else
constexpr int kOver = 1;
#endif

__global__ void read(float *to) {
  float values[4], sum = 0;
  for (int i = 0; i < 4; ++i)
    values[i] = to[i];
  // READ: ERROR: AddressSanitizer: stack-buffer-overflow
  // READ-NEXT: READ of size 4
  // READ-NEXT: #0 read(float*) {{.*}}unrolled.cu:[[#@LINE+2]]:
  for (int i = 0; i < 4 + kOver; ++i)
    sum += values[i];
  // READ: is located 0 bytes after
  to[0] = sum;
}

__global__ void write(float *to) {
  float values[4], sum = 0;
  // WRITE: ERROR: AddressSanitizer: stack-buffer-overflow
  // WRITE-NEXT: WRITE of size 4
  // WRITE-NEXT: #0 write(float*) {{.*}}unrolled.cu:[[#@LINE+2]]:
  for (int i = 0; i < 4 + kOver; ++i)
    values[i] = to[i];
  for (int i = 0; i < 4; ++i)
    sum += values[i];
  to[0] = sum;
}

__global__ void down(float *to) {
  float values[4], sum = 0;
  for (int i = 0; i < 4; ++i)
    values[i] = to[i];
  // DOWN: ERROR: AddressSanitizer: stack-buffer-overflow
  // DOWN: #0 down(float*) {{.*}}unrolled.cu:[[#@LINE+2]]:
  for (int i = 3; i >= -kOver; --i)
    sum += values[i];
  // DOWN: is located 4 bytes before
  to[0] = sum;
}

__global__ void rows(float *to) {
  float values[3][4], sum = 0;
  for (int i = 0; i < 12; ++i)
    values[i / 4][i % 4] = to[i];
  // ROWS: ERROR: AddressSanitizer: stack-buffer-overflow
  // ROWS: #0 rows(float*) {{.*}}unrolled.cu:[[#@LINE+3]]:
  for (int y = 0; y < 3 + kOver; ++y)
    for (int x = 0; x < 4; ++x)
      sum += values[y][x];
  to[0] = sum;
}

__device__ float sum_of(const float *elements, int count) {
  float sum = 0;
  // CALLED: ERROR: AddressSanitizer: stack-buffer-overflow
  // CALLED: #0 sum_of(float const*, int) {{.*}}unrolled.cu:[[#@LINE+2]]:
  for (int i = 0; i < count; ++i)
    sum += elements[i];
  return sum;
}

__global__ void called(float *to) {
  float values[4];
  for (int i = 0; i < 4; ++i)
    values[i] = to[i];
  to[0] = sum_of(values, 4 + kOver);
}

__global__ void constant(float *to) {
  float values[4];
  for (int i = 0; i < 4; ++i)
    values[i] = to[i];
  // CONSTANT: ERROR: AddressSanitizer: stack-buffer-overflow
  // CONSTANT: #0 constant(float*) {{.*}}unrolled.cu:[[#@LINE+1]]:
  to[0] = values[1] + values[3 + kOver];
}

// The optimiser replaces the array by a constant.
__global__ void initialised(float *to) {
  const float values[4] = {1, 2, 3, 4};
  float sum = 0;
  // INITIALISED: ERROR: AddressSanitizer: global-buffer-overflow
  // INITIALISED: #0 initialised(float*) {{.*}}unrolled.cu:[[#@LINE+2]]:
  for (int i = 0; i < 4 + kOver; ++i)
    sum += values[i] * to[i];
  // INITIALISED: is located 0 bytes after constant variable {{.*}}values' of size 16
  to[0] = sum;
}

static __device__ constexpr float kTable[4] = {1, 2, 3, 4};

__global__ void table(float *to) {
  float sum = 0;
  // TABLE: ERROR: AddressSanitizer: global-buffer-overflow
  // TABLE: #0 table(float*) {{.*}}unrolled.cu:[[#@LINE+2]]:
  for (int i = 0; i < 4 + kOver; ++i)
    sum += kTable[i] * to[i];
  // TABLE: is located 0 bytes after constant variable {{.*}}kTable'
  to[0] = sum;
}

// Correct: a test skips the round that would leave the array.
__global__ void guarded(float *to) {
  float values[4], sum = 0;
  for (int i = 0; i < 4; ++i)
    values[i] = to[i];
  for (int i = 0; i < 5; ++i)
    if (to[i] < 7)
      sum += values[i];
  to[0] = sum;
}

// Correct: the loop ends before.
__global__ void left(float *to) {
  float values[4], sum = 0;
  for (int i = 0; i < 4; ++i)
    values[i] = to[i];
  for (int i = 0; i < 5; ++i) {
    if (to[i] >= 7)
      break;
    sum += values[i];
  }
  to[0] = sum;
}

int main(int argc, char **argv) {
  float elements[12] = {1, 2, 3, 4, 7}, *to;
  cudaMalloc(&to, sizeof elements);
  cudaMemcpy(to, elements, sizeof elements, cudaMemcpyHostToDevice);
  auto is = [&](const char *name) { return argc > 1 && !strcmp(argv[1], name); };
  if (is("read"))
    read<<<1, 1>>>(to);
  if (is("write"))
    write<<<1, 1>>>(to);
  if (is("down"))
    down<<<1, 1>>>(to);
  if (is("rows"))
    rows<<<1, 1>>>(to);
  if (is("called"))
    called<<<1, 1>>>(to);
  if (is("constant"))
    constant<<<1, 1>>>(to);
  if (is("initialised"))
    initialised<<<1, 1>>>(to);
  if (is("table"))
    table<<<1, 1>>>(to);
  if (is("guarded"))
    guarded<<<1, 1>>>(to);
  if (is("left"))
    left<<<1, 1>>>(to);
  return cudaDeviceSynchronize() != cudaSuccess;
}
// EACH: 'values' of '{{.*}}' defined in
