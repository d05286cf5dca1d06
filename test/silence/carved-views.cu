// Dynamic shared memory carved into views that overlap on purpose. The analysis must not take one view's start for the
// end of another.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 %s -o %t.O0
// RUN: %run %t.O0 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

constexpr int kThreads = 64;

// A pointer to the middle of a buffer.
__global__ void midpoint(int *out, int n) {
  extern __shared__ int memory[];
  int *left = memory, *right = left + n / 2;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    left[i] = i;
  __syncthreads();
  if (threadIdx.x < n / 2)
    right[threadIdx.x] += left[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = left[n - 1 - threadIdx.x];
}

__global__ void halves(int *out, int half) {
  extern __shared__ int memory[];
  int *low = memory, *high = memory + half;
  if (threadIdx.x < half) {
    low[threadIdx.x] = 1;
    high[threadIdx.x] = 2;
    low[threadIdx.x + half] += 1;
  }
  __syncthreads();
  out[threadIdx.x] = low[threadIdx.x % (2 * half)];
}

// A row with a border, and a pointer to its first inner element.
__global__ void stencil(int *out, int n, int radius) {
  extern __shared__ int memory[];
  int *row = memory, *inner = row + radius;
  for (int i = threadIdx.x; i < n + 2 * radius; i += blockDim.x)
    row[i] = i;
  __syncthreads();
  int sum = 0;
  for (int d = -radius; d <= radius; ++d)
    sum += inner[int(threadIdx.x % n) + d];
  __syncthreads();
  if (threadIdx.x < n)
    inner[threadIdx.x] = sum;
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x % n];
}

__global__ void two_loads(int *out, int radius) {
  extern __shared__ int memory[];
  int *row = memory;
  int *inner = &row[radius];
  row[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 2 * radius)
    row[blockDim.x + threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = inner[threadIdx.x] + inner[int(threadIdx.x) - radius] + inner[threadIdx.x + radius];
}

// One pointer to all of the memory, others to its parts.
__global__ void whole(int *out, int n, int m) {
  extern __shared__ char bytes[];
  float *all = reinterpret_cast<float *>(bytes);
  float *first = all, *second = first + n;
  for (int i = threadIdx.x; i < n + m; i += blockDim.x)
    all[i] = 0;
  __syncthreads();
  atomicAdd(&first[threadIdx.x % n], 1.0f);
  atomicAdd(&second[threadIdx.x % m], 2.0f);
  __syncthreads();
  out[threadIdx.x] = int(all[threadIdx.x % (n + m)]);
}

// A loop clears both parts through the pointer to the first one.
__global__ void cleared(int *out, int n, int total) {
  extern __shared__ int memory[];
  int *counts = memory, *sums = counts + n;
  for (int i = threadIdx.x; i < total; i += blockDim.x)
    counts[i] = 0;
  __syncthreads();
  atomicAdd(&counts[threadIdx.x % n], 1);
  atomicAdd(&sums[threadIdx.x % n], 1);
  __syncthreads();
  out[threadIdx.x] = counts[threadIdx.x % n] + sums[threadIdx.x % n];
}

// Windows of threads and warps; each also reads its neighbour's.
__global__ void windows(int *out, int each) {
  extern __shared__ int memory[];
  int *all = memory, *mine = all + threadIdx.x * each, *lane = memory + threadIdx.x % 32;
  for (int i = 0; i < each; ++i)
    mine[i] = threadIdx.x;
  __syncthreads();
  int sum = threadIdx.x + 1 < blockDim.x ? mine[each] : 0;
  out[threadIdx.x] = sum + lane[32] + all[each * blockDim.x - 1];
}

// The memory is reused after a barrier, with other views.
__global__ void phases(int *out, int n, int m) {
  extern __shared__ int memory[];
  int *keys = memory, *values = keys + n;
  if (threadIdx.x < n)
    keys[threadIdx.x] = values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int sum = keys[threadIdx.x % n] + values[threadIdx.x % n];
  __syncthreads();
  float *sums = reinterpret_cast<float *>(memory);
  int *flags = reinterpret_cast<int *>(sums + m);
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    sums[i] = i;
    flags[i] = 1;
  }
  __syncthreads();
  out[threadIdx.x] = sum + int(sums[threadIdx.x % m]) + flags[threadIdx.x % m];
}

// In a loop, the second phase's view overlaps both of the first one's.
__global__ void across(int *out, int n, int rounds) {
  extern __shared__ int memory[];
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    int *first = memory, *second = memory + n;
    first[threadIdx.x % n] = second[threadIdx.x % n] = round;
    __syncthreads();
    sum += first[(threadIdx.x + 1) % n] + second[(threadIdx.x + 1) % n];
    __syncthreads();
    int *middle = memory + n / 4;
    middle[threadIdx.x % n] = round;
    __syncthreads();
    sum += middle[(threadIdx.x + 1) % n];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Two buffers that are swapped.
__global__ void ping_pong(int *out, int n) {
  extern __shared__ int memory[];
  int *from = memory, *to = memory + n;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    from[i] = 1;
  for (int step = 1; step < n; step *= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      to[i] = from[i] + (i >= step ? from[i - step] : 0);
    int *other = from;
    from = to;
    to = other;
  }
  __syncthreads();
  out[threadIdx.x] = from[threadIdx.x % n];
}

__global__ void stages(int *out, int n) {
  extern __shared__ int memory[];
  int *tile = memory, *after = tile + 2 * n;
  int stage = 0;
  for (int round = 0; round < 4; ++round, stage ^= 1) {
    if (threadIdx.x < n)
      tile[stage * n + threadIdx.x] = round;
    __syncthreads();
    after[threadIdx.x % n] = tile[stage * n + threadIdx.x % n];
    __syncthreads();
  }
  out[threadIdx.x] = after[threadIdx.x % n];
}

// A head, an end pointer, the last element, and padding in front of a row.
__global__ void heads(int *out, int n) {
  extern __shared__ int memory[];
  int &count = memory[0];
  int *items = memory + 1;
  int *end = items + n, &last = items[n - 1];
  if (threadIdx.x == 0)
    count = n;
  for (int *p = items + threadIdx.x; p < end; p += blockDim.x)
    *p = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    last = 5;
    items[n] = 7; // past the end of the items
  }
  __syncthreads();
  out[threadIdx.x] = items[threadIdx.x % n + 1] + count;
}

__global__ void padded(int *out) {
  extern __shared__ int memory[];
  int *zeros = memory, *scanned = memory + 32;
  zeros[threadIdx.x % 32] = 0;
  scanned[threadIdx.x] = 1;
  __syncthreads();
  for (int by = 1; by < 32; by *= 2) {
    int other = scanned[int(threadIdx.x) - by];
    __syncthreads();
    scanned[threadIdx.x] += other;
    __syncthreads();
  }
  out[threadIdx.x] = scanned[threadIdx.x];
}

// A buffer that may be empty, and a size known only at its use.
__global__ void optional(int *out, int n, bool wanted) {
  extern __shared__ int memory[];
  int *keys = memory, *extra = keys + (wanted ? n : 0), *values = extra + n;
  keys[threadIdx.x % n] = 1;
  __syncthreads();
  if (wanted)
    extra[threadIdx.x % n] = 2;
  values[threadIdx.x % n] = 3;
  __syncthreads();
  out[threadIdx.x] = keys[threadIdx.x % n] + values[threadIdx.x % n];
}

__global__ void offsets(int *out, int second, int third) { // in any order
  extern __shared__ int memory[];
  int *a = memory, *b = memory + second, *c = memory + third;
  a[threadIdx.x] = 1;
  b[threadIdx.x] = 2;
  c[threadIdx.x] = 3;
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x] + c[threadIdx.x];
}

int main() {
  Buffer<int> out(kThreads);
  midpoint<<<1, kThreads, 64 * 4>>>(out, 64);
  EXPECT(out.host()[0] == 63 + 31, "%d", out.host()[0]);
  halves<<<1, kThreads, 64 * 4>>>(out, 32);
  EXPECT(out.host()[32] == 3, "%d", out.host()[32]);
  stencil<<<1, kThreads, 70 * 4>>>(out, 64, 3);
  EXPECT(out.host()[0] == 0, "%d", out.host()[0]);
  two_loads<<<1, kThreads, 70 * 4>>>(out, 3);
  EXPECT(out.host()[0] == 3 + 0 + 6, "%d", out.host()[0]);
  whole<<<1, kThreads, 64 * 4>>>(out, 40, 24);
  EXPECT(out.host()[0] == 2, "%d", out.host()[0]);
  cleared<<<1, kThreads, 64 * 4>>>(out, 32, 64);
  EXPECT(out.host()[0] == 4, "%d", out.host()[0]);
  windows<<<1, kThreads, 4 * 64 * 4>>>(out, 4);
  EXPECT(out.host()[0] == 1 + 8 + 63, "%d", out.host()[0]);
  phases<<<1, kThreads, 80 * 4>>>(out, 40, 40);
  EXPECT(out.host()[1] == 1 + 1 + 1 + 1, "%d", out.host()[1]);
  across<<<1, kThreads, 80 * 4>>>(out, 40, 3);
  EXPECT(out.host()[0] == 9, "%d", out.host()[0]);
  ping_pong<<<1, kThreads, 80 * 4>>>(out, 40);
  EXPECT(out.host()[39] == 40, "%d", out.host()[39]);
  stages<<<1, kThreads, 96 * 4>>>(out, 32);
  EXPECT(out.host()[0] == 3, "%d", out.host()[0]);
  heads<<<1, kThreads, 66 * 4>>>(out, 64);
  EXPECT(out.host()[63] == 7 + 64, "%d", out.host()[63]);
  padded<<<1, kThreads, 96 * 4>>>(out);
  EXPECT(out.host()[63] == 32, "%d", out.host()[63]);
  optional<<<1, kThreads, 96 * 4>>>(out, 32, false);
  optional<<<1, kThreads, 96 * 4>>>(out, 32, true);
  EXPECT(out.host()[0] == 4, "%d", out.host()[0]);
  offsets<<<1, kThreads, 192 * 4>>>(out, 128, 64);
  EXPECT(out.host()[0] == 6, "%d", out.host()[0]);
  return passed();
}
