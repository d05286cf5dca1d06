// Prefix sums of an array of any length, inclusive and exclusive. Each block scans its tile by warp shuffles; the sums
// of tiles are scanned the same way (recursively) and added to the tiles. Results are compared exactly. With -DBUG each
// block stores its sum one element too far, as for an exclusive scan of the sums.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 131073 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 1023 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 70000 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kThreads = 128, kPerThread = 4, kTile = kThreads * kPerThread;
#ifdef BUG
constexpr int kSumShift = 1;
#else
constexpr int kSumShift = 0;
#endif

__device__ unsigned scanWarp(unsigned value) {
  unsigned lane = threadIdx.x % 32;
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    unsigned below = __shfl_up_sync(~0u, value, offset);
    if (lane >= offset)
      value += below;
  }
  return value;
}

// Returns the inclusive scan over the block; every thread passes one value.
__device__ unsigned scanBlock(unsigned value, unsigned *total) {
  __shared__ unsigned ofWarps[kThreads / 32];
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned sum = scanWarp(value);
  if (lane == 31)
    ofWarps[warp] = sum;
  __syncthreads();
  unsigned before = 0, all = 0;
  for (unsigned w = 0; w < kThreads / 32; ++w) {
    if (w < warp)
      before += ofWarps[w];
    all += ofWarps[w];
  }
  __syncthreads();
  *total = all;
  return before + sum;
}

__global__ void scanTiles(const unsigned *in, unsigned *out, unsigned *tileSums, int n, bool inclusive) {
  int first = blockIdx.x * kTile + threadIdx.x * kPerThread;
  unsigned values[kPerThread], sum = 0, total;
  if (first + kPerThread <= n) {
    uint4 four = *reinterpret_cast<const uint4 *>(in + first);
    values[0] = four.x, values[1] = four.y, values[2] = four.z, values[3] = four.w;
  } else {
    for (int k = 0; k < kPerThread; ++k)
      values[k] = first + k < n ? in[first + k] : 0;
  }
  for (unsigned value : values)
    sum += value;
  unsigned before = scanBlock(sum, &total) - sum;
  for (int k = 0; k < kPerThread; ++k) {
    if (first + k < n)
      out[first + k] = inclusive ? before + values[k] : before;
    before += values[k];
  }
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (136,0,0) lane 0{{$}}
  // CHECK-NEXT: #0 scanTiles(unsigned int const*, unsigned int*, unsigned int*, int, bool) {{.*}}scan.cu:[[#@LINE+2]]:
  if (tileSums && threadIdx.x == 0)
    tileSums[blockIdx.x + kSumShift] = total;
}

__global__ void addToTiles(unsigned *values, const unsigned *before, int n) {
  unsigned add = before[blockIdx.x];
  for (int k = threadIdx.x; k < kTile; k += kThreads) {
    int i = blockIdx.x * kTile + k;
    if (i < n)
      values[i] += add;
  }
}

// Buffers for the sums of tiles of each level, largest first.
struct Levels {
  std::vector<unsigned *> sums;
  explicit Levels(int n) {
    for (int tiles = divide_up(n, kTile); tiles > 1; tiles = divide_up(tiles, kTile)) {
      unsigned *buffer;
      // CHECK: is located 0 bytes after 548-byte region
      // CHECK: in {{.*}}scan.cu:[[#@LINE+1]]:
      CUDA(cudaMalloc(&buffer, tiles * sizeof(unsigned)));
      sums.push_back(buffer);
    }
  }
  ~Levels() {
    for (unsigned *buffer : sums)
      CUDA(cudaFree(buffer));
  }
};

void scan(const Levels &levels, size_t level, const unsigned *in, unsigned *out, int n, bool inclusive) {
  int tiles = divide_up(n, kTile);
  unsigned *sums = tiles > 1 ? levels.sums[level] : nullptr;
  scanTiles<<<tiles, kThreads>>>(in, out, sums, n, inclusive);
  CUDA(cudaGetLastError());
  if (!sums)
    return;
  scan(levels, level + 1, sums, sums, tiles, false);
  addToTiles<<<tiles, kThreads>>>(out, sums, n);
  CUDA(cudaGetLastError());
}

void check(const std::vector<unsigned> &in, const std::vector<unsigned> &out, bool inclusive) {
  unsigned sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    unsigned expected = inclusive ? sum + in[i] : sum;
    EXPECT(out[i] == expected, "%s, element %zu: %u, not %u", inclusive ? "inclusive" : "exclusive", i, out[i],
           expected);
    sum += in[i];
  }
  printf("%s %016llx\n", inclusive ? "inclusive" : "exclusive", (unsigned long long)checksum(out));
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 500000, 1, 1 << 28);
  int n = arguments.size;
  Random random(5);
  std::vector<unsigned> host(n), result(n);
  for (unsigned &value : host)
    value = random.next() % 1000;
  unsigned *in, *out;
  CUDA(cudaMalloc(&in, n * sizeof(unsigned)));
  CUDA(cudaMalloc(&out, n * sizeof(unsigned)));
  upload(in, host);
  {
    Levels levels(n);
    for (bool inclusive : {true, false}) {
      Stopwatch watch;
      for (int i = 0; i < arguments.repeat; ++i)
        scan(levels, 0, in, out, n, inclusive);
      watch.stop(arguments, "scan");
      download(result, out);
      check(host, result, inclusive);
    }
  }
  CUDA(cudaFree(in));
  CUDA(cudaFree(out));
  return passed();
}
