// Accesses out of the bounds of shared memory: past the only array, static or dynamic; into another static array; from
// static arrays into the dynamic region and back. shared-partitions.cu has two arrays in one dynamic region.
// CATEGORY: shared
// CASE: single static read
// CASE: single static write
// CASE: single dynamic read
// CASE: single dynamic write
// CASE: several static read
// CASE: several static write
// CASE: into dynamic read
// CASE: into dynamic write
// CASE: into static read
// CASE: into static write
#include "case.h"

// CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
// READ: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
// WRITE: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

__global__ void single_static(int *sink, int index, bool read) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (read)
      // SINGLE+STATIC+READ: #0 single_static(int*, int, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      *sink = tile[index];
    else
      // SINGLE+STATIC+WRITE: #0 single_static(int*, int, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      tile[index] = 63;
  }
  __syncthreads();
  if (!read)
    *sink = tile[63];
  // SINGLE+STATIC: is located 0 bytes after {{.*}}'{{.*}}tile' {{.*}}of size 256
}

__global__ void single_dynamic(int *sink, int index, bool read) {
  extern __shared__ int region[];
  region[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (read)
      // SINGLE+DYNAMIC+READ: #0 single_dynamic(int*, int, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      *sink = region[index];
    else
      // SINGLE+DYNAMIC+WRITE: #0 single_dynamic(int*, int, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      region[index] = 63;
  }
  __syncthreads();
  if (!read)
    *sink = region[63];
  // SINGLE+DYNAMIC: is located 0 bytes after {{.*}}'{{.*}}region' {{.*}}of size 256
}

__global__ void several_static(int *sink, int index, bool read, bool other) {
  __shared__ int left[64], right[64];
  left[threadIdx.x] = threadIdx.x;
  right[threadIdx.x] = 1000 + threadIdx.x;
  __syncthreads();
  if (other)
    index = distance(left, right) + 8;
  if (threadIdx.x == 0) {
    if (read)
      // SEVERAL+READ: #0 several_static(int*, int, bool, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      *sink = left[index];
    else
      // SEVERAL+WRITE: #0 several_static(int*, int, bool, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      left[index] = 63;
  }
  __syncthreads();
  if (!read)
    *sink = left[63] + right[8] - 1008;
  // SEVERAL: is located {{[0-9]+}} bytes {{after|before}} {{.*}}'{{.*}}left' {{.*}}of size 256
}

__global__ void static_to_dynamic(int *sink, int index, bool read, bool other) {
  __shared__ int tile[64];
  extern __shared__ int region[];
  tile[threadIdx.x] = threadIdx.x;
  region[threadIdx.x] = 1000 + threadIdx.x;
  __syncthreads();
  if (other)
    index = distance(tile, region) + 8;
  if (threadIdx.x == 0) {
    if (read)
      // INTO+DYNAMIC+READ: #0 static_to_dynamic(int*, int, bool, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      *sink = tile[index];
    else
      // INTO+DYNAMIC+WRITE: #0 static_to_dynamic(int*, int, bool, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      tile[index] = 63;
  }
  __syncthreads();
  if (!read)
    *sink = tile[63] + region[8] - 1008;
  // INTO+DYNAMIC: is located {{[0-9]+}} bytes {{after|before}} {{.*}}'{{.*}}tile' {{.*}}of size 256
}

__global__ void dynamic_to_static(int *sink, int index, bool read, bool other) {
  __shared__ int tile[64];
  extern __shared__ int region[];
  tile[threadIdx.x] = 1000 + threadIdx.x;
  region[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (other)
    index = distance(region, tile) + 8;
  if (threadIdx.x == 0) {
    if (read)
      // INTO+STATIC+READ: #0 dynamic_to_static(int*, int, bool, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      *sink = region[index];
    else
      // INTO+STATIC+WRITE: #0 dynamic_to_static(int*, int, bool, bool) {{.*}}shared.cu:[[#@LINE+1]]:
      region[index] = 63;
  }
  __syncthreads();
  if (!read)
    *sink = region[63] + tile[8] - 1008;
  // INTO+STATIC: is located {{[0-9]+}} bytes {{after|before}} {{.*}}'{{.*}}region' {{.*}}of size 256
}

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1);
  int index = BUG_OR_FIXED(64, 63);
  bool other = BUG_OR_FIXED(true, false);
  bool read = chosen("read");
  if (chosen("single") && chosen("static"))
    single_static<<<1, 64>>>(sink, index, read);
  else if (chosen("single"))
    single_dynamic<<<1, 64, 256>>>(sink, index, read);
  else if (chosen("several"))
    several_static<<<1, 64>>>(sink, index, read, other);
  else if (chosen("into") && chosen("dynamic"))
    static_to_dynamic<<<1, 64, 256>>>(sink, index, read, other);
  else
    dynamic_to_static<<<1, 64, 256>>>(sink, index, read, other);
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(sink));
  return finish(result, 63);
}
