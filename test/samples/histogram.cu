// Histograms of bytes and of floats: once by a partial histogram for each warp in shared memory, which a second kernel
// merges, and once by atomics in global memory alone. The bins of floats have borders in constant memory. Results are
// compared exactly. With -DBUG the bin of the largest value is not clamped and equals the number of bins.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 77777 --repeat 3 2>&1 | %same.1
// RUN: %run %t --size 1 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 5000 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kBins = 256, kWarps = 6, kThreads = kWarps * 32, kPartials = 40;
constexpr int kRangeBins = 50;

struct Range {
  float low, scale;
};
__constant__ Range range;

__device__ void addByte(unsigned *bins, unsigned word) {
  for (int shift = 0; shift < 32; shift += 8)
    atomicAdd(&bins[word >> shift & 0xff], 1u);
}

// One histogram for each warp, so that fewer threads use one bin at a time.
__global__ void countInShared(const unsigned *words, unsigned *partials, int n) {
  __shared__ unsigned bins[kWarps][kBins];
  for (int i = threadIdx.x; i < kWarps * kBins; i += kThreads)
    bins[0][i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    addByte(bins[threadIdx.x / 32], words[i]);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += kThreads) {
    unsigned sum = 0;
    for (int w = 0; w < kWarps; ++w)
      sum += bins[w][bin];
    partials[blockIdx.x * kBins + bin] = sum;
  }
}

// One block for each bin.
__global__ void mergePartials(const unsigned *partials, unsigned *bins, int count) {
  __shared__ unsigned sums[64];
  unsigned sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    sum += partials[i * kBins + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (int(threadIdx.x) < stride)
      sums[threadIdx.x] += sums[threadIdx.x + stride];
  }
  if (threadIdx.x == 0)
    bins[blockIdx.x] = sums[0];
}

__global__ void countInGlobal(const unsigned *words, unsigned *bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    addByte(bins, words[i]);
}

__global__ void countRange(const float *values, unsigned *bins, unsigned *outside, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  // The product is not contracted, so that host and devices agree on values at a border.
  int bin = int(floorf(__fmul_rn(__fsub_rn(values[i], range.low), range.scale)));
#ifndef BUG
  if (bin == kRangeBins)
    bin = kRangeBins - 1;
#endif
  unsigned *counter = bin < 0 || bin > kRangeBins ? outside : &bins[bin];
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (7,0,0) block (0,0,0) lane 7
  // CHECK: #2 countRange(float const*, unsigned int*, unsigned int*, int) {{.*}}histogram.cu:[[#@LINE+1]]:
  atomicAdd(counter, 1u);
}

void compare(const char *what, const std::vector<unsigned> &expected, const unsigned *device) {
  std::vector<unsigned> bins(expected.size());
  download(bins, device);
  for (size_t bin = 0; bin < bins.size(); ++bin)
    EXPECT(bins[bin] == expected[bin], "%s, bin %zu: %u, not %u", what, bin, bins[bin], expected[bin]);
  printf("%s %016llx\n", what, (unsigned long long)checksum(bins));
}

void countBytes(const Arguments &arguments, Random &random) {
  int n = arguments.size;
  std::vector<unsigned> words(n), expected(kBins);
  for (unsigned &word : words) {
    word = random.next() & random.next(); // not uniform
    for (int shift = 0; shift < 32; shift += 8)
      expected[word >> shift & 0xff]++;
  }
  unsigned *in, *partials, *bins;
  CUDA(cudaMalloc(&in, n * sizeof(unsigned)));
  CUDA(cudaMalloc(&partials, kPartials * kBins * sizeof(unsigned)));
  CUDA(cudaMalloc(&bins, kBins * sizeof(unsigned)));
  upload(in, words);
  Stopwatch watch;
  for (int i = 0; i < arguments.repeat; ++i) {
    countInShared<<<kPartials, kThreads>>>(in, partials, n);
    mergePartials<<<kBins, 64>>>(partials, bins, kPartials);
  }
  CUDA(cudaGetLastError());
  watch.stop(arguments, "shared histogram");
  compare("bytes, shared", expected, bins);
  Stopwatch again;
  for (int i = 0; i < arguments.repeat; ++i) {
    CUDA(cudaMemsetAsync(bins, 0, kBins * sizeof(unsigned)));
    countInGlobal<<<kPartials, kThreads>>>(in, bins, n);
  }
  CUDA(cudaGetLastError());
  again.stop(arguments, "global histogram");
  compare("bytes, global", expected, bins);
  CUDA(cudaFree(in));
  CUDA(cudaFree(partials));
  CUDA(cudaFree(bins));
}

void countFloats(const Arguments &arguments, Random &random) {
  int n = arguments.size;
  // Values are multiples of 1/64 from -1 to 11, bins are 1/5 wide from 0 to 10: differences and products are exact or
  // rounded alike.
  Range host = {0.0f, 5.0f};
  std::vector<float> values(n);
  std::vector<unsigned> expected(kRangeBins), outside(1);
  for (int i = 0; i < n; ++i) {
    values[i] = i == 7 ? 10.0f : float(int(random.below(12 * 64)) - 64) / 64;
    int bin = int(std::floor((values[i] - host.low) * host.scale));
    if (bin < 0 || bin > kRangeBins)
      outside[0]++;
    else
      expected[std::min(bin, kRangeBins - 1)]++;
  }
  CUDA(cudaMemcpyToSymbol(range, &host, sizeof host));
  float *in;
  unsigned *bins, *outsideOnDevice;
  CUDA(cudaMalloc(&in, n * sizeof(float)));
  // CHECK: is located 0 bytes after 200-byte region
  // CHECK: in {{.*}}histogram.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&bins, kRangeBins * sizeof(unsigned)));
  CUDA(cudaMalloc(&outsideOnDevice, sizeof(unsigned)));
  upload(in, values);
  CUDA(cudaMemset(bins, 0, kRangeBins * sizeof(unsigned)));
  CUDA(cudaMemset(outsideOnDevice, 0, sizeof(unsigned)));
  countRange<<<divide_up(n, 128), 128>>>(in, bins, outsideOnDevice, n);
  CUDA(cudaGetLastError());
  compare("floats", expected, bins);
  compare("outside", outside, outsideOnDevice);
  CUDA(cudaFree(in));
  CUDA(cudaFree(bins));
  CUDA(cudaFree(outsideOnDevice));
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 200000, 1, 1 << 28);
  Random random(31);
  countBytes(arguments, random);
  countFloats(arguments, random);
  return passed();
}
