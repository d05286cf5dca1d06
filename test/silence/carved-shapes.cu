// Arrays carved out of dynamic shared memory, with code like that of real kernels: variables that change after a
// condition, stages, tiles, functions, classes. Accesses that cross from one array into the next are on purpose.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: %run %t.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O3 -fgpu-rdc %s -o %t.rdc
// RUN: %run %t.rdc 2>&1 >/dev/null | %silent
#include "inputs/carved.h"

// A condition that no longer limits the index.
__global__ void two_elements(int *out, int n, int) {
  REGION;
  int *left = memory, *right = left + n;
  int i = threadIdx.x;
  if (i < n) {
    right[i] = 1;
    left[i] = 2;
    i += n;
    left[i] = 3;
  }
  __syncthreads();
  out[threadIdx.x] = right[threadIdx.x % n];
}

__global__ void after_return(int *out, int n, int) {
  REGION;
  int *left = memory, *right = left + n;
  int i = threadIdx.x;
  if (i >= n)
    return;
  left[i] = right[i] = 1;
  for (; i < 2 * n; i += n)
    left[i] += 1;
  out[threadIdx.x] = left[i - n];
}

__global__ void kept_index(int *out, int n, int) {
  REGION;
  int *left = memory, *right = left + n;
  int i = threadIdx.x + n;
  const int far = i;
  i = threadIdx.x;
  if (i < n) {
    right[i] = i;
    left[i] = left[far];
  }
  __syncthreads();
  out[threadIdx.x] = left[threadIdx.x % n] + right[threadIdx.x % n];
}

__global__ void moved_by_function(int *out, int n, int) {
  REGION;
  int *left = memory, *right = left + n;
  int i = threadIdx.x;
  auto advance = [&] { i += n; };
  if (i < n) {
    left[i] = right[i] = 4;
    advance();
    out[threadIdx.x] = left[i];
  }
}

__global__ void kept_pointer(int *out, int n, int) {
  REGION;
  int *left = memory, *right = left + n;
  int i = threadIdx.x + n;
  int *place = left + i;
  i -= n;
  if (i < n) {
    left[i] = right[i] = i;
    out[threadIdx.x] = *place;
  }
}

// All threads clear, some of them fill.
__global__ void threads_of_both(int *out, int n, int) { // 64 threads, 32 elements each
  REGION;
  int *left = memory, *right = left + n;
  left[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < n / 2)
    right[threadIdx.x] = 3;
  __syncthreads();
  atomicAdd(&left[threadIdx.x % n], 1);
  out[threadIdx.x] = right[threadIdx.x % n];
}

__global__ void first_is_set(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  right[0] = 0;
  __syncthreads();
  EACH(i, m) left[i] = i;
  __syncthreads();
  EACH(i, n) right[i] += left[i];
  __syncthreads();
  right[threadIdx.x % n] += 1;
  out[threadIdx.x] = 0;
}

__global__ void greatest_of_both(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) {
    left[i] = i;
    right[i] = 2 * i;
  }
  __syncthreads();
  int greatest = 0;
  for (int i = 0; i < m; ++i)
    greatest = max(greatest, left[i]);
  out[threadIdx.x] = greatest - left[threadIdx.x % n] - right[threadIdx.x % n];
}

__global__ void tiles_again(int *out, int n, int m) { // the first tile has two names, the next ones have one
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) left[i] = right[i] = 0;
  __syncthreads();
  int sum = left[threadIdx.x % n] + right[threadIdx.x % n];
  for (int tile = 1; tile < 3; ++tile) {
    __syncthreads();
    EACH(i, m) left[i] = tile;
    __syncthreads();
    sum += left[threadIdx.x % n] + right[threadIdx.x % n];
  }
  out[threadIdx.x] = sum;
}

__global__ void result_reuses(int *out, int n, int m) {
  REGION;
  int *query = memory, *key = query + n, *scores = key + n;
  EACH(i, n) query[i] = key[i] = i;
  __syncthreads();
  EACH(i, n) scores[i] = query[i] * key[i];
  __syncthreads();
  EACH(i, m) query[i] = scores[i % n]; // key is no longer used
  __syncthreads();
  EACH(i, m) out[i] = query[i];
}

// Other shapes of code.
__global__ void lambda(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  auto fill = [=](int i) { left[i] = 1; };
  EACH(i, m) fill(i);
  __syncthreads();
  atomicAdd(&right[0], 1);
  auto get = [&](int i) { return left[i]; };
  __syncthreads();
  out[threadIdx.x] = get(m - 1) + right[0];
}

struct Views {
  int *first, *second;
  int count;
  __device__ Views(int *first, int *second, int count) : first(first), second(second), count(count) {}
  __device__ int &operator[](int i) { return first[i]; }
  __device__ void set(int all, int value) { EACH(i, all) first[i] = value; }
};

__global__ void members(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  Views views(left, right, n);
  views.set(m, 2);
  __syncthreads();
  EACH(i, m) views[i] += 1;
  __syncthreads();
  right[threadIdx.x % n] = 7;
  __syncthreads();
  out[threadIdx.x] = views[m - 1] + left[0];
}

__global__ void array_of_views(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  int *views[] = {left, right};
  EACH(i, m) views[0][i] = 1;
  __syncthreads();
  EACH(i, n) right[i] = left[i];
  __syncthreads();
  out[threadIdx.x] = views[1][0];
}

__global__ void chosen(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  int *from = n > 0 ? left : right;
  EACH(i, m) from[i] = 1;
  __syncthreads();
  EACH(i, n) right[i] = left[i];
  __syncthreads();
  out[threadIdx.x] = right[0];
}

__device__ void exchange_names(int *&a, int *&b) {
  int *c = a;
  a = b;
  b = c;
}

__global__ void exchanged(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n, *third = memory + m;
  EACH(i, n) left[i] = right[i] = third[i] = i;
  for (int i = 0; i < 3; ++i)
    exchange_names(left, right);
  __syncthreads();
  EACH(i, m) right[i] += 1;
  __syncthreads();
  out[threadIdx.x] = left[0] + third[0];
}

// Stages and buffers.
__global__ void stages_of_tiles(int *out, int n, int) {
  REGION;
  int *a = memory, *b = a + 2 * n; // two stages each
  int at = 0;
  EACH(i, n) a[i] = b[i] = 1;
  for (int round = 0; round < 4; ++round) {
    __syncthreads();
    EACH(i, n) {
      a[(at ^ 1) * n + i] = a[at * n + i] + 1;
      b[(at ^ 1) * n + i] = b[at * n + i] + 2;
    }
    at ^= 1;
  }
  __syncthreads();
  out[threadIdx.x] = a[at * n] + b[at * n];
}

__global__ void interleaved_stages(int *out, int n, int) { // a and b of one stage lie side by side
  REGION;
  int *a = memory, *b = a + n;
  const int stage = 2 * n;
  for (int s = 0; s < 2; ++s)
    EACH(i, n) {
      a[s * stage + i] = s;
      b[s * stage + i] = 2 * s;
    }
  __syncthreads();
  out[threadIdx.x] = a[stage] + b[stage];
}

__global__ void warp_slices(int *out, int each, int) {
  REGION;
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int *sums = memory, *lists = sums + warps;
  if (lane == 0)
    sums[warp] = 0;
  int *mine = lists + warp * each;
  for (int i = lane; i < each; i += 32)
    mine[i] = lane;
  __syncwarp();
  atomicAdd(&sums[warp], mine[lane % each]);
  __syncthreads();
  out[threadIdx.x] = sums[0];
}

__global__ void lanes_of_warps(int *out, int, int) {
  REGION;
  const int warps = blockDim.x / 32;
  int *sums = memory, *squares = sums + warps;
  if (threadIdx.x % 32 == 0) {
    sums[threadIdx.x / 32] = 1;
    squares[threadIdx.x / 32] = 2;
  }
  __syncthreads();
  int sum = threadIdx.x % 32 < 2 * warps ? sums[threadIdx.x % 32] : 0; // of both arrays
  for (int by = 16; by > 0; by /= 2)
    sum += __shfl_down_sync(~0u, sum, by);
  if (threadIdx.x == 0)
    sums[0] = sum;
  __syncthreads();
  out[threadIdx.x] = sums[0] + squares[0];
}

__global__ void histograms(int *out, int bins, int) {
  REGION;
  int *of_warp = memory, *all = of_warp + 2 * bins;
  EACH(i, 3 * bins) of_warp[i] = 0;
  __syncthreads();
  atomicAdd(&of_warp[threadIdx.x / 32 * bins + threadIdx.x % bins], 1);
  __syncthreads();
  EACH(i, bins) all[i] += of_warp[i] + of_warp[bins + i];
  __syncthreads();
  out[threadIdx.x] = all[threadIdx.x % bins];
}

__global__ void digits(int *out, int n, int) { // radix sort: keys go from one array to the other and back
  REGION;
  int *keys = memory, *sorted = keys + n;
  EACH(i, n) keys[i] = n - 1 - i;
  __syncthreads();
  for (int bit = 0; bit < 5; ++bit) {
    const int from = bit % 2 ? n : 0, to = n - from;
    if (threadIdx.x == 0) {
      int place = to;
      for (int wanted = 0; wanted < 2; ++wanted)
        for (int i = 0; i < n; ++i)
          if (((keys[from + i] >> bit) & 1) == wanted)
            keys[place++] = keys[from + i];
    }
    __syncthreads();
  }
  out[threadIdx.x] = sorted[threadIdx.x % n];
}

// Functions, classes and templates.
__device__ __noinline__ void swap_between(int *values, int i, int j) {
  int value = values[i];
  values[i] = values[j];
  values[j] = value;
}

__global__ void swapped(int *out, int n, int) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) {
    left[i] = i;
    right[i] = 100 + i;
  }
  __syncthreads();
  EACH(i, n) swap_between(left, i, i + n);
  __syncthreads();
  out[threadIdx.x] = left[threadIdx.x % n] - right[threadIdx.x % n];
}

__device__ int *place_in(int *values, int i) {
  return values + i;
}

__global__ void placed(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) right[i] = 1;
  __syncthreads();
  EACH(i, m) * place_in(left, i) = i;
  __syncthreads();
  out[threadIdx.x] = right[0];
}

template <typename T>
struct Tile {
  T *data;
  int pitch;
  __device__ T &at(int row, int column) { return data[row * pitch + column]; }
  __device__ void load(const T *from, int rows) {
    for (int r = 0; r < rows; ++r)
      EACH(c, pitch) at(r, c) = from ? from[r] : T(r);
  }
};

__global__ void tile_class(int *out, int pitch, int) {
  REGION;
  int *left = memory, *right = left + pitch;
  Tile<int> both{left, pitch};
  EACH(i, pitch) right[i] = 0;
  __syncthreads();
  both.load(nullptr, 2);
  __syncthreads();
  out[threadIdx.x] = right[threadIdx.x % pitch] + left[0];
}

__device__ int recursive(int *values, int count) {
  return count > 0 ? values[count - 1] + recursive(values, count - 1) : 0;
}

__global__ void recursion(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) left[i] = right[i] = 1;
  __syncthreads();
  out[threadIdx.x] = recursive(left, m) + right[0];
}

template <int kBits>
__global__ void shifted(int *out, int, int) {
  REGION;
  int *low = memory, *high = low + (1 << kBits);
  low[threadIdx.x] = 0; // in both arrays
  __syncthreads();
  atomicAdd(&high[threadIdx.x & ((1 << kBits) - 1)], 1);
  atomicAdd(&low[threadIdx.x & ((1 << kBits) - 1)], 1);
  __syncthreads();
  out[threadIdx.x] = high[0] + low[0];
}

__global__ void by_address(int *out, int n, int m) { // as for cp.async and ldmatrix
  REGION;
  int *left = memory, *right = left + n;
  EACH(i, n) left[i] = right[i] = 1;
  __syncthreads();
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(left));
  int value;
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(address + (m - 1) * 4));
  out[threadIdx.x] = value + right[0];
}

__global__ void through_volatile(int *out, int n, int m) {
  REGION;
  volatile int *left = memory;
  int *right = memory + n;
  right[threadIdx.x % n] = 1;
  __syncthreads();
  for (int s = m / 2; s > 0; s /= 2) {
    if (threadIdx.x < s)
      left[threadIdx.x] = left[threadIdx.x] + left[threadIdx.x + s];
    __syncthreads();
  }
  out[threadIdx.x] = right[0];
}

__shared__ int fixed[32];
__global__ void with_static(int *out, int n, int m) {
  REGION;
  int *left = memory, *right = left + n, *from = threadIdx.x < 32 ? fixed : left;
  EACH(i, 32) fixed[i] = 1;
  EACH(i, m) left[i] = 2;
  __syncthreads();
  EACH(i, n) right[i] += from[i];
  __syncthreads();
  out[threadIdx.x] = right[threadIdx.x % n];
}

__global__ void same_region(int *out, int n, int m) { // another kernel carves the region differently
  REGION;
  int *all = memory;
  EACH(i, m) all[i] = i;
  __syncthreads();
  out[threadIdx.x] = all[(threadIdx.x + n) % m];
}

__global__ void of_structures(int *out, int n, int) {
  REGION;
  int2 *pairs = reinterpret_cast<int2 *>(memory);
  int *singles = reinterpret_cast<int *>(pairs + n / 2);
  EACH(i, n) pairs[i] = make_int2(i, i); // twice as many
  __syncthreads();
  singles[threadIdx.x % n] += 1;
  __syncthreads();
  out[threadIdx.x] = singles[0] + pairs[0].x;
}

int main(int, char **arguments) {
  static const Kernel kernels[] = {
      KERNEL(two_elements, 16, 32),
      KERNEL(after_return, 16, 32),
      KERNEL(kept_index, 16, 32),
      KERNEL(moved_by_function, 16, 32),
      KERNEL(kept_pointer, 16, 32),
      KERNEL(threads_of_both, 32, 64),
      KERNEL(first_is_set, 16, 32),
      KERNEL(greatest_of_both, 16, 32),
      KERNEL(tiles_again, 16, 32),
      KERNEL(result_reuses, 16, 32),
      KERNEL(lambda, 16, 32),
      KERNEL(members, 16, 32),
      KERNEL(array_of_views, 16, 32),
      KERNEL(chosen, 16, 32),
      KERNEL(exchanged, 16, 32),
      KERNEL(stages_of_tiles, 16, 32),
      KERNEL(interleaved_stages, 16, 32),
      KERNEL(warp_slices, 16, 32),
      KERNEL(lanes_of_warps, 16, 32),
      KERNEL(histograms, 16, 32),
      KERNEL(digits, 16, 32),
      KERNEL(swapped, 16, 32),
      KERNEL(placed, 16, 32),
      KERNEL(tile_class, 16, 32),
      KERNEL(recursion, 16, 32),
      KERNEL(shifted<5>, 16, 32),
      KERNEL(by_address, 16, 32),
      KERNEL(through_volatile, 16, 32),
      KERNEL(with_static, 16, 32),
      KERNEL(same_region, 16, 32),
      KERNEL(of_structures, 16, 32),
  };
  return launch_kernels(kernels, arguments[1]);
}
