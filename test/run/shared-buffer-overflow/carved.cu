// RUN: %gasan -O0 %s -o %t.O0
// RUN: %gasan -O2 %s -o %t.O2
// RUN: not %run %t.O0 siblings 2>&1 | FileCheck %s --check-prefix=siblings
// RUN: not %run %t.O2 siblings 2>&1 | FileCheck %s --check-prefix=siblings
// RUN: %run %t.O0 siblings fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.O2 siblings fixed 2>&1 >/dev/null | %silent
// RUN: not %run %t.O0 chain 2>&1 | FileCheck %s --check-prefix=chain
// RUN: not %run %t.O2 chain 2>&1 | FileCheck %s --check-prefix=chain
// RUN: %run %t.O0 chain fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.O2 chain fixed 2>&1 >/dev/null | %silent
// RUN: not %run %t.O0 types 2>&1 | FileCheck %s --check-prefix=types
// RUN: not %run %t.O2 types 2>&1 | FileCheck %s --check-prefix=types
// RUN: %run %t.O0 types fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.O2 types fixed 2>&1 >/dev/null | %silent
// RUN: not %run %t.O0 callee 2>&1 | FileCheck %s --check-prefix=callee
// RUN: not %run %t.O2 callee 2>&1 | FileCheck %s --check-prefix=callee
// RUN: %run %t.O0 callee fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.O2 callee fixed 2>&1 >/dev/null | %silent
// RUN: not %run %t.O0 behind 2>&1 | FileCheck %s --check-prefix=behind
// RUN: not %run %t.O2 behind 2>&1 | FileCheck %s --check-prefix=behind
// RUN: %run %t.O0 behind fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.O2 behind fixed 2>&1 >/dev/null | %silent
// RUN: not %run %t.O0 below 2>&1 | FileCheck %s --check-prefix=below
// RUN: not %run %t.O2 below 2>&1 | FileCheck %s --check-prefix=below
// RUN: %options=launch_proof=0 not %run %t.O2 below 2>&1 | FileCheck %s --check-prefix=below
// RUN: %run %t.O2 below fixed 2>&1 >/dev/null | %silent
// RUN: not %run %t.O0 element 2>&1 | FileCheck %s --check-prefix=element
// RUN: not %run %t.O2 element 2>&1 | FileCheck %s --check-prefix=element
// RUN: %run %t.O0 element fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.O2 element fixed 2>&1 >/dev/null | %silent
// RUN: not %run %t.O2 template 2>&1 | FileCheck %s --check-prefix=template
// RUN: %run %t.O0 template fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.O2 template fixed 2>&1 >/dev/null | %silent
// Buffers carved out of dynamic shared memory in several ways, with an access one element past one of them.
#include <cstdio>
#include <cstring>

__global__ void siblings(float *out, int n, int bound) {
  extern __shared__ float memory[];
  float *weights = memory, *sums = memory + n, *scratch = memory + 2 * n;
  if (threadIdx.x < n)
    weights[threadIdx.x] = scratch[threadIdx.x] = 1;
  for (int i = threadIdx.x; i < bound; i += blockDim.x)
    // siblings: shared-buffer-overflow
    // siblings: #0 siblings(float*, int, int) {{.*}}carved.cu:[[#@LINE+2]]:
    // siblings: is located 0 bytes after dynamic shared memory 'sums' {{.*}}of size 160
    sums[i] = 2;
  __syncthreads();
  out[threadIdx.x] = weights[threadIdx.x % n] + sums[threadIdx.x % n] + scratch[threadIdx.x % n];
}

__global__ void chain(float *out, int n, int bound) {
  extern __shared__ float memory[];
  float *a = memory;
  float *b = &a[n + 1];
  float *c = &b[n + 1];
  for (int i = threadIdx.x; i <= n; i += blockDim.x)
    a[i] = b[i] = c[i] = i;
  __syncthreads();
  float sum = 0;
  // chain: shared-buffer-overflow
  // chain: READ of size 4
  // chain: #0 chain(float*, int, int) {{.*}}carved.cu:[[#@LINE+2]]:
  for (int i = 0; i <= n + 1; ++i)
    sum += i < bound + 1 ? b[i] : 0;
  out[threadIdx.x] = sum + a[0] + c[0];
}

__global__ void types(float *out, int n, int bound) {
  extern __shared__ unsigned char bytes[];
  double *sums = reinterpret_cast<double *>(bytes);
  int *places = reinterpret_cast<int *>(sums + n);
  unsigned char *flags = reinterpret_cast<unsigned char *>(places + n);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sums[i] = i;
    flags[i] = 1;
  }
  // types: shared-buffer-overflow
  // types: WRITE of size 4
  // types: #0 types(float*, int, int) {{.*}}carved.cu:[[#@LINE+2]]:
  for (int i = threadIdx.x; i < bound; i += blockDim.x)
    places[i] = i;
  __syncthreads();
  out[threadIdx.x] = float(sums[threadIdx.x % n]) + float(places[threadIdx.x % n]) + flags[threadIdx.x % n];
}

__device__ __noinline__ void fill(float *to, int count, float value) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    // callee: shared-buffer-overflow
    // callee: #0 fill(float*, int, float) {{.*}}carved.cu:[[#@LINE+2]]:
    // callee: dynamic shared memory 'rows' {{.*}}of size 160
    to[i] = value;
}

__global__ void callee(float *out, int n, int bound) {
  extern __shared__ float memory[];
  float *rows = memory, *columns = rows + n;
  fill(columns, n, 2);
  fill(rows, bound, 1);
  __syncthreads();
  out[threadIdx.x] = rows[threadIdx.x % n] + columns[threadIdx.x % n];
}

// The code sets the later buffer first, and the overflowing buffer is not at the region's beginning.
__global__ void behind(float *out, int n, int bound) {
  extern __shared__ float memory[];
  float *results = memory + n + n / 4, *weights = memory + n / 4, *head = memory;
  for (int i = threadIdx.x; i < n / 4; i += blockDim.x)
    head[i] = 1;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    results[i] = 1;
  // behind: shared-buffer-overflow
  // behind: #0 behind(float*, int, int) {{.*}}carved.cu:[[#@LINE+3]]:
  // behind: dynamic shared memory 'weights' {{.*}}of size 160
  for (int i = threadIdx.x; i < bound; i += blockDim.x)
    weights[i] = 3;
  __syncthreads();
  out[threadIdx.x] = head[0] + results[threadIdx.x % n] + weights[threadIdx.x % n];
}

// An access before the middle buffer.
__global__ void below(float *out, int n, int place) {
  extern __shared__ float memory[];
  float *first = memory, *second = memory + n, *third = memory + 2 * n;
  if (threadIdx.x < n)
    first[threadIdx.x] = second[threadIdx.x] = third[threadIdx.x] = 1;
  __syncthreads();
  // below: shared-buffer-overflow
  // below: READ of size 4
  // below: #0 below(float*, int, int) {{.*}}carved.cu:[[#@LINE+2]]:
  // below: dynamic shared memory 'second' {{.*}}of size 160
  out[threadIdx.x] = second[place] + first[0] + third[0];
}

// An access to the element one past the end. No other access shows where the buffer ends.
__global__ void element(float *out, int n, int bound) {
  extern __shared__ float memory[];
  float *left = memory, *right = left + n;
  if (threadIdx.x == 0 && bound > n)
    // element: shared-buffer-overflow
    // element: WRITE of size 4
    // element: #0 element(float*, int, int) {{.*}}carved.cu:[[#@LINE+1]]:
    left[n] = 5;
  __syncthreads();
  right[threadIdx.x % n] = 2;
  __syncthreads();
  out[threadIdx.x] = right[0] + left[0];
}

template <typename T>
struct Shared {
  __device__ operator T *() {
    extern __shared__ int words[];
    return reinterpret_cast<T *>(words);
  }
};

template <typename T>
__global__ void of_type(T *out, int n, int bound) {
  T *keys = Shared<T>();
  T *values = keys + blockDim.x;
  keys[threadIdx.x] = threadIdx.x;
  values[threadIdx.x] = n;
  __syncthreads();
  if (threadIdx.x == 0)
    // template: shared-buffer-overflow
    // template: of_type<float>(float*, int, int) {{.*}}carved.cu:[[#@LINE+1]]:
    keys[bound] += 1;
  __syncthreads();
  out[threadIdx.x] = keys[threadIdx.x] + values[threadIdx.x];
}

int main(int, char **arguments) {
  const struct {
    const char *name;
    void (*kernel)(float *, int, int);
  } ways[] = {{"siblings", siblings}, {"chain", chain}, {"types", types},     {"callee", callee},
              {"behind", behind},     {"below", below}, {"element", element}, {"template", of_type<float>}};
  const int n = 40;
  int bound = arguments[2] ? n : n + 1;
  if (!strcmp(arguments[1], "below"))
    bound = arguments[2] ? 0 : -1;
  else if (!strcmp(arguments[1], "template"))
    bound += 23; // 64 threads
  float *out;
  cudaMalloc(&out, 64 * sizeof *out);
  int error = 1;
  for (const auto &way : ways)
    if (!strcmp(way.name, arguments[1])) {
      way.kernel<<<1, 64, 1024>>>(out, n, bound);
      error = cudaDeviceSynchronize();
    }
  cudaFree(out);
  return error;
}
