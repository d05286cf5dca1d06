// Two arrays carved out of dynamic shared memory, and code that crosses from one into the other on purpose. `n`
// elements are in the first array and `m` in both, but the kernels' code does not say so.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: %run %t.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O3 %s -o %t.O3
// RUN: %run %t.O3 2>&1 >/dev/null | %silent
#include "inputs/carved.h"

// Both arrays are filled, loaded, written back or scaled together, through the first array's name.
__global__ void load_both(int *out, int n, int m) {
  REGION;
  int *weights = memory, *biases = weights + n;
  EACH(i, m) weights[i] = i;
  __syncthreads();
  EACH(i, m - n) biases[i] += weights[i];
  __syncthreads();
  out[threadIdx.x] = biases[0];
}

__global__ void fill_both(int *out, int n, int m) {
  REGION;
  int *best = memory, *places = best + n;
  EACH(i, m) best[i] = -1;
  __syncthreads();
  atomicMax(&best[threadIdx.x % n], 5);
  atomicMax(&places[0], 7);
  __syncthreads();
  out[threadIdx.x] = best[0] + places[0] + places[1];
}

__global__ void memset_both(int *out, int n, int m) {
  REGION;
  int *counts = memory, *sums = counts + n;
  if (threadIdx.x == 0)
    memset(counts, 0, m * sizeof(int));
  __syncthreads();
  atomicAdd(&counts[threadIdx.x % n], 1);
  atomicAdd(&sums[threadIdx.x % n], 1);
  __syncthreads();
  out[threadIdx.x] = sum_of(counts, n) + sum_of(sums, n);
}

__global__ void memcpy_both(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  if (threadIdx.x < n)
    left[threadIdx.x] = right[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int both[40];
  memcpy(both, left, m * sizeof(int));
  __syncthreads();
  right[threadIdx.x % n] = both[m - 1];
  __syncthreads();
  out[threadIdx.x] = right[0];
}

__global__ void clear_then_first(int *out, int n, int m) {
  REGION;
  int *counts = memory, *offsets = counts + n;
  EACH(i, m) counts[i] = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    offsets[0] = 3;
  atomicAdd(&counts[threadIdx.x % n], 1);
  __syncthreads();
  out[threadIdx.x] = offsets[threadIdx.x % n];
}

__global__ void write_back(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) left[i] = i;
  EACH(i, m - n) right[i] = 100 + i;
  __syncthreads();
  EACH(i, m) out[i] = left[i];
}

__global__ void scale_both(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) left[i] = i;
  EACH(i, m - n) right[i] = 100 + i;
  __syncthreads();
  EACH(i, m) left[i] *= 2;
  __syncthreads();
  out[threadIdx.x] = left[threadIdx.x % n] + right[threadIdx.x % n];
}

__global__ void by_threads(int *out, int n, int) { // a block is as large as both arrays
  REGION;
  int *sums = memory, *squares = sums + n;
  sums[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&sums[threadIdx.x % n], 1);
  atomicAdd(&squares[threadIdx.x % n], 2);
  __syncthreads();
  out[threadIdx.x] = sums[0] + squares[0];
}

__global__ void warp_results(int *out, int, int) {
  REGION;
  int *sums = memory, *squares = sums + 8;
  if (threadIdx.x < 16)
    sums[threadIdx.x] = 1;
  __syncthreads();
  atomicAdd(&sums[threadIdx.x % 8], 1);
  atomicAdd(&squares[threadIdx.x % 8], 2);
  __syncthreads();
  out[threadIdx.x] = sums[0] + squares[0];
}

__global__ void countdown(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  int at = m;
  while (at-- > 0)
    left[at] = at;
  __syncthreads();
  right[threadIdx.x % n] += left[0];
  __syncthreads();
  out[threadIdx.x] = right[0];
}

__global__ void vectors(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, m / 4) reinterpret_cast<int4 *>(left)[i] = make_int4(1, 2, 3, 4);
  __syncthreads();
  atomicAdd(&right[threadIdx.x % n], 1);
  __syncthreads();
  out[threadIdx.x] = right[0] + left[1];
}

__global__ void vector_overrun(int *out, int n, int) { // n is no multiple of 4
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) {
    left[i] = i;
    right[i] = 100;
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; i += 4) {
    int4 four = *reinterpret_cast<int4 *>(left + i);
    sum += four.x + (i + 1 < n ? four.y : 0) + (i + 2 < n ? four.z : 0) + (i + 3 < n ? four.w : 0);
  }
  out[threadIdx.x] = sum + right[0];
}

// Ends, heads and neighbours.
__global__ void exclusive(int *out, int, int) {
  REGION;
  int *starts = memory, *ends = starts + 1;
  if (threadIdx.x == 0)
    starts[0] = 0;
  ends[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  out[threadIdx.x] = ends[threadIdx.x] - starts[threadIdx.x];
}

__global__ void sentinel(int *out, int n, int) {
  REGION;
  int *offsets = memory, *total = offsets + n;
  EACH(i, n) offsets[i] = i;
  if (threadIdx.x == 0)
    *total = n;
  __syncthreads();
  out[threadIdx.x] = threadIdx.x < n ? offsets[threadIdx.x + 1] - offsets[threadIdx.x] : *total;
}

__global__ void halo(int *out, int radius, int) {
  REGION;
  int *row = memory, *centre = row + radius;
  centre[threadIdx.x] = 1;
  if (threadIdx.x < radius) {
    row[threadIdx.x] = 1;
    centre[threadIdx.x + blockDim.x] = 1;
  }
  __syncthreads();
  int sum = 0;
  for (int k = 0; k <= 2 * radius; ++k)
    sum += row[threadIdx.x + k];
  out[threadIdx.x] = sum + centre[threadIdx.x];
}

__global__ void to_the_end(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n, *end = memory + m;
  for (int *p = left + threadIdx.x; p < end; p += blockDim.x)
    *p = 1;
  __syncthreads();
  atomicAdd(right, 1);
  *(end - 1) = 1;
  __syncthreads();
  out[threadIdx.x] = right[0];
}

__global__ void not_equal(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  for (int i = 0; i != m; ++i)
    left[i] = i;
  __syncthreads();
  EACH(i, m - n) right[i] += left[i];
  __syncthreads();
  out[threadIdx.x] = right[0];
}

__global__ void reused(int *out, int n, int m) { // the second array is no longer used
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) left[i] = right[i] = i;
  __syncthreads();
  int kept = left[1] + right[1];
  __syncthreads();
  EACH(i, m) left[i] = kept;
  __syncthreads();
  out[threadIdx.x] = left[m - 1];
}

// Views and accesses of other kinds.
__global__ void later_views(int *out, int n, int m) { // a view derived from the first array, which has bounds
  REGION;
  int *left = memory, *right = left + n, *third = left + m;
  EACH(i, n) left[i] = right[i] = third[i] = 1;
  __syncthreads();
  int *rest = left + m + n;
  rest[threadIdx.x] = left[0];
  __syncthreads();
  out[threadIdx.x] = third[0] + rest[threadIdx.x];
}

__global__ void as_matrix(int *out, int n, int) {
  REGION;
  int *left = memory, *right = left + n;
  auto tile = reinterpret_cast<int (*)[8]>(left);
  EACH(i, n) left[i] = right[i] = i;
  __syncthreads();
  for (int r = 0; r < 2 * n / 8; ++r)
    if (threadIdx.x < 8)
      tile[r][threadIdx.x] = r;
  __syncthreads();
  out[threadIdx.x] = right[0] + left[0];
}

__global__ void by_integer(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) left[i] = right[i] = i;
  __syncthreads();
  auto address = reinterpret_cast<size_t>(left);
  int last = *reinterpret_cast<int *>(address + (m - 1) * sizeof(int));
  out[threadIdx.x] = last + right[0];
}

__global__ void accumulated(int *out, int n, int m) { // several rounds
  REGION;
  int *left = memory, *right = left + n;
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    EACH(i, m) left[i] = round;
    __syncthreads();
    sum += right[threadIdx.x % n];
    __syncthreads();
    right[threadIdx.x % n] = round;
    __syncthreads();
    sum += right[threadIdx.x % n];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

template <int kFirst>
__global__ void constants(int *out, int, int m) {
  REGION;
  int *left = memory, *right = left + kFirst;
  EACH(i, m) left[i] = 1;
  __syncthreads();
  atomicAdd(&right[threadIdx.x % 4], 1);
  __syncthreads();
  out[threadIdx.x] = right[0];
}

__global__ void one_is_empty(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + (n > 100 ? n : 0);
  EACH(i, m) left[i] = 1;
  __syncthreads();
  right[threadIdx.x % m] = 2;
  __syncthreads();
  out[threadIdx.x] = left[threadIdx.x % m];
}

__global__ void too_small(int *out, int n, int) { // the launch has memory for the first array only
  REGION;
  int *left = memory, *right = left + 10 * n;
  EACH(i, 2 * n) left[i] = 1;
  if (n > 100)
    right[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = left[n] + (n > 100 ? right[0] : 0);
}

__global__ void packed(int *out, int n, int m) {
  REGION;
  short *shorts = reinterpret_cast<short *>(memory);
  int *words = reinterpret_cast<int *>(shorts + n);
  EACH(i, m) shorts[i] = 1;
  __syncthreads();
  words[0] += 1;
  __syncthreads();
  out[threadIdx.x] = words[n / 4];
}

__global__ void early(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  if (threadIdx.x >= m)
    return;
  left[threadIdx.x] = 2;
  if (threadIdx.x >= n)
    return;
  right[threadIdx.x] += left[threadIdx.x];
  out[threadIdx.x] = right[threadIdx.x];
}

int main(int, char **arguments) {
  static const Kernel kernels[] = {
      KERNEL(load_both, 16, 32),   KERNEL(fill_both, 16, 32),        KERNEL(memset_both, 16, 32),
      KERNEL(memcpy_both, 16, 32), KERNEL(clear_then_first, 16, 32), KERNEL(write_back, 16, 32),
      KERNEL(scale_both, 16, 32),  KERNEL(by_threads, 32, 64),       KERNEL(warp_results, 8, 16),
      KERNEL(countdown, 16, 32),   KERNEL(vectors, 16, 32),          KERNEL(vector_overrun, 13, 26),
      KERNEL(exclusive, 1, 65),    KERNEL(sentinel, 16, 17),         KERNEL(halo, 16, 32),
      KERNEL(to_the_end, 16, 32),  KERNEL(not_equal, 16, 32),        KERNEL(reused, 16, 32),
      KERNEL(later_views, 16, 32), KERNEL(as_matrix, 16, 32),        KERNEL(by_integer, 16, 32),
      KERNEL(accumulated, 16, 32), KERNEL(constants<16>, 16, 32),    KERNEL(one_is_empty, 16, 32),
      KERNEL(too_small, 16, 32),   KERNEL(packed, 16, 32),           KERNEL(early, 16, 32),
  };
  return launch_kernels(kernels, arguments[1]);
}
