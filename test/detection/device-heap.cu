// The device heap: malloc, free, new and delete in kernels.
// CATEGORY: device-heap
// CASE: overflow read malloc
// CASE: overflow write malloc
// CASE: underflow read malloc
// CASE: overflow write new
// CASE: use-after-free read
// CASE: use-after-free write later kernel
// CASE: double-free
// CASE: bad-free
#include "case.h"
#include <new>

// OVERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow
// UNDERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow
// USE-AFTER-FREE: ERROR: AddressSanitizer: heap-use-after-free
// DOUBLE-FREE: ERROR: AddressSanitizer: attempting double-free
// BAD-FREE: ERROR: AddressSanitizer: attempting free on address which was not
// READ: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
// WRITE: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

__global__ void use(int **kept, int *sink, int index, bool read) {
  int *values = static_cast<int *>(malloc(100 * sizeof(int)));
  fill(values, 100, 0);
  if (read)
    // OVERFLOW+READ: #0 use(int**, int*, int, bool) {{.*}}device-heap.cu:[[#@LINE+2]]:
    // UNDERFLOW+READ: #0 use(int**, int*, int, bool) {{.*}}device-heap.cu:[[#@LINE+1]]:
    *sink = values[index];
  else {
    // MALLOC+WRITE: #0 use(int**, int*, int, bool) {{.*}}device-heap.cu:[[#@LINE+1]]:
    values[index] = 7;
    *sink = 7;
  }
  *kept = values;
}

__global__ void use_new(int **kept, int *sink, int index) {
  int *values = new int[100];
  fill(values, 100, 0);
  // NEW+WRITE: #0 use_new(int**, int*, int) {{.*}}device-heap.cu:[[#@LINE+1]]:
  values[index] = 7;
  *sink = 7;
  *kept = values;
}

__global__ void make(int **kept, int **freed) {
  *kept = static_cast<int *>(malloc(100 * sizeof(int)));
  *freed = static_cast<int *>(malloc(100 * sizeof(int)));
  fill(*kept, 100, 0);
  fill(*freed, 100, 0);
  free(*freed);
}

__global__ void use_after(int **kept, int **freed, int *sink) {
  // USE-AFTER-FREE+READ: #0 use_after(int**, int**, int*) {{.*}}device-heap.cu:[[#@LINE+1]]:
  *sink = (*BUG_OR_FIXED(freed, kept))[7];
}

__global__ void write_after(int **kept, int **freed, int *sink) {
  // USE-AFTER-FREE+WRITE: #0 write_after(int**, int**, int*) {{.*}}device-heap.cu:[[#@LINE+1]]:
  (*BUG_OR_FIXED(freed, kept))[7] = 7;
  *sink = 7;
}

__global__ void free_twice(int **kept, int **freed, int *sink) {
  // DOUBLE-FREE: #0 free_twice(int**, int**, int*) {{.*}}device-heap.cu:[[#@LINE+1]]:
  free(*BUG_OR_FIXED(freed, kept));
  *kept = nullptr;
  *sink = 7;
}

__global__ void free_inside(int **kept, int *sink, int offset) {
  // BAD-FREE: #0 free_inside(int**, int*, int) {{.*}}device-heap.cu:[[#@LINE+1]]:
  free(*kept + offset);
  *kept = nullptr;
  *sink = 7;
}

__global__ void finish_with(int **kept, bool array) {
  if (array)
    delete[] *kept;
  else
    free(*kept);
}

// OVERFLOW: is located 0 bytes after 400-byte region
// UNDERFLOW: is located 4 bytes before 400-byte region
// USE-AFTER-FREE: is located 28 bytes inside of 400-byte region

int main(int, char **arguments) {
  words = arguments;
  int **kept, **freed, *sink = allocate(1);
  CUDA(cudaMalloc(&kept, sizeof *kept));
  CUDA(cudaMalloc(&freed, sizeof *freed));
  bool array = chosen("new");
  if (array)
    use_new<<<1, 1>>>(kept, sink, BUG_OR_FIXED(100, 99));
  else if (chosen("overflow"))
    use<<<1, 1>>>(kept, sink, BUG_OR_FIXED(100, 7), chosen("read"));
  else if (chosen("underflow"))
    use<<<1, 1>>>(kept, sink, BUG_OR_FIXED(-1, 7), true);
  else {
    make<<<1, 1>>>(kept, freed);
    if (chosen("use-after-free") && chosen("read"))
      use_after<<<1, 1>>>(kept, freed, sink);
    else if (chosen("use-after-free"))
      write_after<<<1, 1>>>(kept, freed, sink);
    else if (chosen("double-free"))
      free_twice<<<1, 1>>>(kept, freed, sink);
    else
      free_inside<<<1, 1>>>(kept, sink, BUG_OR_FIXED(4, 0));
  }
  synchronise();
  finish_with<<<1, 1>>>(kept, array);
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(kept));
  CUDA(cudaFree(freed));
  CUDA(cudaFree(sink));
  return finish(result, 7);
}
