// Stable radix sort, four bits a pass: a histogram of digits for each tile, a scan over (digit, tile), and a scatter,
// in which ballots rank the equal digits of a warp. Results are compared exactly, because a stable sort has one result.
// With -DBUG the table of counts has columns for whole tiles only, none for the partial tile at the end.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 30011 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 3 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 9000 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kBits = 4, kDigits = 1 << kBits, kThreads = 256, kRounds = 4, kTile = kThreads * kRounds;

__device__ unsigned digitOf(unsigned key, int shift) {
  return key >> shift & (kDigits - 1);
}

// Layout: counts[digit * tiles + tile].
__global__ void countDigits(const unsigned *keys, unsigned *counts, int n, int tiles, int shift) {
  __shared__ unsigned bins[kDigits];
  if (threadIdx.x < kDigits)
    bins[threadIdx.x] = 0;
  __syncthreads();
  for (int round = 0; round < kRounds; ++round) {
    int i = blockIdx.x * kTile + round * kThreads + threadIdx.x;
    if (i < n)
      atomicAdd(&bins[digitOf(keys[i], shift)], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kDigits) {
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (15,0,0) block (0,0,0) lane 15
    // CHECK-SAME: {{^}} (and 15 more threads of this kernel)
    // CHECK-NEXT: #0 countDigits(unsigned int const*, unsigned int*, int, int, int) {{.*}}radix-sort.cu:[[#@LINE+1]]:
    counts[threadIdx.x * tiles + blockIdx.x] = bins[threadIdx.x];
  }
}

// Exclusive scan of all counts by one block. Each thread has a piece of the table.
__global__ void scanCounts(unsigned *counts, int entries) {
  __shared__ unsigned sums[kThreads];
  int piece = (entries + kThreads - 1) / kThreads, first = threadIdx.x * piece, end = min(first + piece, entries);
  unsigned sum = 0;
  for (int i = first; i < end; ++i)
    sum += counts[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int offset = 1; offset < kThreads; offset *= 2) {
    unsigned below = int(threadIdx.x) >= offset ? sums[threadIdx.x - offset] : 0;
    __syncthreads();
    sums[threadIdx.x] += below;
    __syncthreads();
  }
  unsigned before = sums[threadIdx.x] - sum;
  for (int i = first; i < end; ++i) {
    unsigned value = counts[i];
    counts[i] = before;
    before += value;
  }
}

// Returns the lanes of the warp with the same digit.
__device__ unsigned lanesWith(unsigned digit, bool valid) {
  unsigned lanes = __ballot_sync(~0u, valid);
  for (int bit = 0; bit < kBits; ++bit) {
    unsigned ones = __ballot_sync(~0u, digit >> bit & 1);
    lanes &= digit >> bit & 1 ? ones : ~ones;
  }
  return lanes;
}

__global__ void scatter(const unsigned *keys, const unsigned *values, unsigned *keysOut, unsigned *valuesOut,
                        const unsigned *places, int n, int tiles, int shift) {
  constexpr int kWarps = kThreads / 32;
  __shared__ unsigned next[kDigits], ofWarps[kWarps][kDigits];
  unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t < kDigits)
    next[t] = places[t * tiles + blockIdx.x];
  for (int round = 0; round < kRounds; ++round) {
    for (int entry = t; entry < kWarps * kDigits; entry += kThreads)
      ofWarps[entry / kDigits][entry % kDigits] = 0;
    __syncthreads();
    int i = blockIdx.x * kTile + round * kThreads + t;
    bool valid = i < n;
    unsigned key = valid ? keys[i] : 0, digit = digitOf(key, shift), same = lanesWith(digit, valid);
    unsigned rank = __popc(same & ((1u << lane) - 1));
    if (valid && rank == 0)
      ofWarps[warp][digit] = __popc(same);
    __syncthreads();
    if (t < kDigits) {
      unsigned place = next[t];
      for (int w = 0; w < kWarps; ++w) {
        unsigned here = ofWarps[w][t];
        ofWarps[w][t] = place;
        place += here;
      }
      next[t] = place;
    }
    __syncthreads();
    if (valid) {
      keysOut[ofWarps[warp][digit] + rank] = key;
      valuesOut[ofWarps[warp][digit] + rank] = values[i];
    }
    __syncthreads();
  }
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 60000, 1, 1 << 27);
  int n = arguments.size, tiles = divide_up(n, kTile);
  Random random(21);
  std::vector<unsigned> host(n), places(n), order(n), keys(n);
  for (int i = 0; i < n; ++i) {
    host[i] = i % 3 ? random.next() : random.below(100); // some equal keys
    places[i] = order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return host[a] < host[b]; });

#ifdef BUG
  int columns = n / kTile;
#else
  int columns = tiles;
#endif
  unsigned *buffers[2][2], *counts;
  for (auto &pair : buffers)
    for (unsigned *&buffer : pair)
      CUDA(cudaMalloc(&buffer, n * sizeof(unsigned)));
  // CHECK: is located {{[0-9]+}} bytes after 512-byte region
  // CHECK: in main {{.*}}radix-sort.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&counts, columns * kDigits * sizeof(unsigned)));
  for (int r = 0; r < arguments.repeat; ++r) {
    upload(buffers[0][0], host);
    upload(buffers[0][1], places);
    Stopwatch watch;
    for (int shift = 0, from = 0; shift < 32; shift += kBits, from ^= 1) {
      unsigned **in = buffers[from], **out = buffers[from ^ 1];
      countDigits<<<tiles, kThreads>>>(in[0], counts, n, tiles, shift);
      scanCounts<<<1, kThreads>>>(counts, tiles * kDigits);
      scatter<<<tiles, kThreads>>>(in[0], in[1], out[0], out[1], counts, n, tiles, shift);
      CUDA(cudaGetLastError());
    }
    watch.stop(arguments, "radix sort");
  }
  download(keys, buffers[0][0]);
  download(places, buffers[0][1]);
  for (int i = 0; i < n; ++i)
    EXPECT(places[i] == order[i] && keys[i] == host[order[i]], "place %d: %u (value %u)", i, keys[i], places[i]);
  printf("sorted %d keys: %016llx\n", n, (unsigned long long)checksum(places));
  for (auto &pair : buffers)
    for (unsigned *buffer : pair)
      CUDA(cudaFree(buffer));
  CUDA(cudaFree(counts));
  return passed();
}
