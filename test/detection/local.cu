// Accesses out of the bounds of an array on the stack, in its own function and in a function with its address. Far: an
// element of another live array, of the same or the other frame. The arrays have 8 elements; alloca() gets this number
// at run time.
// CATEGORY: local
// CASE: array adjacent read same frame
// CASE: array adjacent write same frame
// CASE: array far read same frame
// CASE: array far write same frame
// CASE: array adjacent read across frames
// CASE: array adjacent write across frames
// CASE: array far read across frames
// CASE: array far write across frames
// CASE: alloca adjacent read same frame
// CASE: alloca adjacent write same frame
// CASE: alloca far read same frame
// CASE: alloca far write same frame
// CASE: alloca adjacent read across frames
// CASE: alloca adjacent write across frames
// CASE: alloca far read across frames
// CASE: alloca far write across frames
#include "case.h"

// CHECK: ERROR: AddressSanitizer: stack-buffer-overflow
// READ: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
// WRITE: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

// `index` is 8 (the bug) or 7; `far` adds the distance to another array.
__global__ void array_read(int *sink, int index, int far) {
  int before[8], values[8], after[8];
  fill(before, 8, 100);
  fill(values, 8, 0);
  fill(after, 8, 200);
  if (far)
    index = distance(values, far > 0 ? after : before) + 4;
  // ARRAY+READ+SAME: #0 array_read(int*, int, int) {{.*}}local.cu:[[#@LINE+1]]:
  *sink = values[index] + total(before, 8) - 828 + total(after, 8) - 1628;
}

__global__ void array_write(int *sink, int index, int far) {
  int before[8], values[8], after[8];
  fill(before, 8, 100);
  fill(values, 8, 0);
  fill(after, 8, 200);
  if (far)
    index = distance(values, far > 0 ? after : before) + 4;
  // ARRAY+WRITE+SAME: #0 array_write(int*, int, int) {{.*}}local.cu:[[#@LINE+1]]:
  values[index] = 7;
  *sink = values[7] + total(before, 8) - 828 + total(after, 8) - 1628;
}

__global__ void alloca_read(int *sink, int count, int index, int far) {
  int *before = static_cast<int *>(__builtin_alloca(count * sizeof(int)));
  int *values = static_cast<int *>(__builtin_alloca(count * sizeof(int)));
  int *after = static_cast<int *>(__builtin_alloca(count * sizeof(int)));
  fill(before, count, 100);
  fill(values, count, 0);
  fill(after, count, 200);
  if (far)
    index = distance(values, far > 0 ? after : before) + 4;
  // ALLOCA+READ+SAME: #0 alloca_read(int*, int, int, int) {{.*}}local.cu:[[#@LINE+1]]:
  *sink = values[index] + total(before, count) - 828 + total(after, count) - 1628;
}

__global__ void alloca_write(int *sink, int count, int index, int far) {
  int *before = static_cast<int *>(__builtin_alloca(count * sizeof(int)));
  int *values = static_cast<int *>(__builtin_alloca(count * sizeof(int)));
  int *after = static_cast<int *>(__builtin_alloca(count * sizeof(int)));
  fill(before, count, 100);
  fill(values, count, 0);
  fill(after, count, 200);
  if (far)
    index = distance(values, far > 0 ? after : before) + 4;
  // ALLOCA+WRITE+SAME: #0 alloca_write(int*, int, int, int) {{.*}}local.cu:[[#@LINE+1]]:
  values[index] = 7;
  *sink = values[7] + total(before, count) - 828 + total(after, count) - 1628;
}

// Accesses the caller's array, in a function with an array of its own.
NOINLINE __device__ int read_of_caller(const int *values, int index, int far) {
  int own[8];
  fill(own, 8, 300);
  if (far)
    index = distance(values, own) + 4;
  // READ+ACROSS: #0 read_of_caller(int const*, int, int) {{.*}}local.cu:[[#@LINE+1]]:
  return values[index] + total(own, 8) - 2428;
}

NOINLINE __device__ int write_of_caller(int *values, int index, int far) {
  int own[8];
  fill(own, 8, 300);
  if (far)
    index = distance(values, own) + 4;
  // WRITE+ACROSS: #0 write_of_caller(int*, int, int) {{.*}}local.cu:[[#@LINE+1]]:
  values[index] = 7;
  return total(own, 8) - 2428;
}

__global__ void array_across(int *sink, int index, int far, bool read) {
  int values[8];
  fill(values, 8, 0);
  // ADJACENT+ARRAY: is located 0 bytes after {{.*}}'values'
  // FAR+ARRAY: is located {{[0-9]+}} bytes {{after|before}} {{.*}}'values'
  if (read)
    *sink = read_of_caller(values, index, far);
  else
    *sink = write_of_caller(values, index, far) + values[7];
}

__global__ void alloca_across(int *sink, int count, int index, int far, bool read) {
  int *values = static_cast<int *>(__builtin_alloca(count * sizeof(int)));
  fill(values, count, 0);
  if (read)
    *sink = read_of_caller(values, index, far);
  else
    *sink = write_of_caller(values, index, far) + values[7];
}

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1);
  int index = BUG_OR_FIXED(8, 7);
  int far = BUG_OR_FIXED(chosen("far") ? 1 : 0, 0);
  bool read = chosen("read");
  if (chosen("array")) {
    if (chosen("across"))
      array_across<<<1, 1>>>(sink, index, far, read);
    else if (read)
      array_read<<<1, 1>>>(sink, index, far);
    else
      array_write<<<1, 1>>>(sink, index, far);
  } else {
    if (chosen("across"))
      alloca_across<<<1, 1>>>(sink, 8, index, far, read);
    else if (read)
      alloca_read<<<1, 1>>>(sink, 8, index, far);
    else
      alloca_write<<<1, 1>>>(sink, 8, index, far);
  }
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(sink));
  return finish(result, 7);
}
