// Algorithms over both of two arrays carved out of dynamic shared memory: reductions, sorts, scans, exchanges. `n`
// elements are in the first array and `m` in both, but the kernels' code does not say so.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: %run %t.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O3 %s -o %t.O3
// RUN: %run %t.O3 2>&1 >/dev/null | %silent
#include "inputs/carved.h"

__global__ void reduce_both(int *out, int, int) {
  REGION;
  int *left = memory, *right = left + blockDim.x;
  left[threadIdx.x] = 1;
  right[threadIdx.x] = 2;
  for (int s = blockDim.x; s > 0; s >>= 1) {
    __syncthreads();
    if (threadIdx.x < s)
      left[threadIdx.x] += left[threadIdx.x + s];
  }
  __syncthreads();
  out[threadIdx.x] = left[0] + right[0];
}

__device__ void reduce(int *values, int count) {
  for (int s = count / 2; s > 0; s /= 2) {
    __syncthreads();
    EACH(i, s) values[i] += values[i + s];
  }
  __syncthreads();
}

__global__ void reduce_in_function(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) left[i] = right[i] = 1;
  reduce(left, m);
  out[threadIdx.x] = left[0] + right[0];
}

__device__ void clear(int *values, int count) {
  EACH(i, count) values[i] = 0;
}

__global__ void clear_in_function(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  clear(left, m);
  __syncthreads();
  atomicAdd(&left[threadIdx.x % n], 1);
  atomicAdd(&right[threadIdx.x % n], 1);
  __syncthreads();
  out[threadIdx.x] = sum_of(left, m);
}

__global__ void bitonic(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) {
    left[i] = m - i;
    right[i] = n - i;
  }
  for (int size = 2; size <= m; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      EACH(i, m) {
        int j = i ^ step;
        if (j > i && (left[i] > left[j]) == !(i & size)) {
          int swapped = left[i];
          left[i] = left[j];
          left[j] = swapped;
        }
      }
    }
  __syncthreads();
  out[threadIdx.x] = right[n - 1] - left[0];
}

__global__ void scan_two_halves(int *out, int n, int) { // GPU Gems 3
  REGION;
  int *ping = memory, *pong = ping + n;
  int to = 0, from = 1, t = threadIdx.x;
  if (t < n) {
    ping[t] = 1;
    pong[t] = 0;
  }
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    to = 1 - to;
    from = 1 - to;
    if (t < n)
      ping[to * n + t] = ping[from * n + t] + (t >= offset ? ping[from * n + t - offset] : 0);
    __syncthreads();
  }
  out[t] = ping[to * n + n - 1];
}

__global__ void scan_tree(int *out, int n, int) { // Blelloch, two elements a thread
  REGION;
  int *low = memory, *high = low + blockDim.x;
  int offset = 1, t = threadIdx.x;
  low[t] = high[t] = 1;
  for (int d = blockDim.x; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d)
      low[offset * (2 * t + 2) - 1] += low[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  __syncthreads();
  out[t] = high[blockDim.x - 1] + n;
}

__global__ void exchange(int *out, int n, int) { // as in an FFT, with padding
  REGION;
  int *real = memory, *imaginary = real + n;
  EACH(i, n) real[i] = imaginary[i] = i;
  __syncthreads();
  int kept = 0;
  for (int k = 0; k < 4; ++k)
    kept += real[(threadIdx.x % 8) * 4 + k + (threadIdx.x % 8) / 4];
  __syncthreads();
  EACH(i, n) imaginary[i] = kept;
  __syncthreads();
  out[threadIdx.x] = imaginary[0] + real[0];
}

__global__ void rows(int *out, int pitch, int) {
  REGION;
  int *first = memory, *second = first + pitch;
  EACH(i, pitch) first[i] = second[i] = i;
  __syncthreads();
  for (int r = 0; r < 2; ++r)
    EACH(i, pitch) first[r * pitch + i] += r;
  __syncthreads();
  out[threadIdx.x] = first[0] + second[0];
}

__global__ void by_difference(int *out, int n, int) {
  REGION;
  int *keys = memory, *values = keys + n;
  const long away = values - keys;
  EACH(i, n) {
    keys[i] = i;
    values[i] = 5;
    keys[i + away] += 1;
  }
  __syncthreads();
  out[threadIdx.x] = values[n - 1] + keys[0];
}

__global__ void table(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) left[i] = right[i] = i;
  EACH(i, m) out[i] = m - 1 - i;
  __syncthreads();
  int found = left[out[threadIdx.x % m]];
  __syncthreads();
  out[threadIdx.x] = found + right[0];
}

int main(int, char **arguments) {
  static const Kernel kernels[] = {
      KERNEL(reduce_both, 64, 128),      KERNEL(reduce_in_function, 16, 32),
      KERNEL(clear_in_function, 16, 32), KERNEL(bitonic, 16, 32),
      KERNEL(scan_two_halves, 16, 32),   KERNEL(scan_tree, 64, 128),
      KERNEL(exchange, 32, 64),          KERNEL(rows, 16, 32),
      KERNEL(by_difference, 16, 32),     KERNEL(table, 16, 32),
  };
  return launch_kernels(kernels, arguments[1]);
}
