// Atomics under contention give the totals of a serial program: histograms in shared and global memory (several for
// each warp), a work queue with a counter, and unsigned minima of 64-bit keys that contain their index.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"

const int n = 50000, bins = 64, blocks = 32, threads = 160;

__global__ void histogram(const unsigned *in, unsigned *global, unsigned *viaShared) {
  extern __shared__ unsigned local[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned bin = in[i] >> 26;
    atomicAdd(&global[bin], 1u);
    atomicAdd_block(&local[bin], in[i] & 0xff);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    atomicAdd(&viaShared[b], local[b]);
}

// Every thread takes items until none is left. Each item is processed once.
__global__ void queue(int *next, int *times, unsigned long long *best, const unsigned *in) {
  for (int item; (item = atomicAdd(next, 1)) < n;) {
    times[item] += 1;
    atomicMin(best, (unsigned long long)in[item] << 32 | (unsigned)item);
    atomicMax(best + 1, (unsigned long long)in[item] << 32 | (unsigned)item);
  }
}

int main() {
  Random random(12);
  std::vector<unsigned> in(n), counts(bins), sums(bins);
  unsigned long long least = ~0ull, most = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = random.below(i % 3 ? ~0u : 1u << 27); // most values are in the first bins
    ++counts[in[i] >> 26], sums[in[i] >> 26] += in[i] & 0xff;
    least = std::min(least, (unsigned long long)in[i] << 32 | i),
    most = std::max(most, (unsigned long long)in[i] << 32 | i);
  }
  std::vector<unsigned> none(bins, 0);
  std::vector<int> zero(n + 1, 0);
  std::vector<unsigned long long> ends = {~0ull, 0};
  Buffer<unsigned> pin(in), global(none), viaShared(none);
  Buffer<int> times(zero);
  Buffer<unsigned long long> best(ends);
  histogram<<<blocks, threads, bins * sizeof(unsigned)>>>(pin, global, viaShared);
  queue<<<blocks, threads>>>(times + n, times, best, pin);
  EXPECT(global.host() == counts, "counts differ");
  EXPECT(viaShared.host() == sums, "sums differ");
  std::vector<int> worked = times.host();
  for (int i = 0; i < n; ++i)
    EXPECT(worked[i] == 1, "item %d: %d times", i, worked[i]);
  ends = best.host();
  EXPECT(ends[0] == least && ends[1] == most, "extremes %llx %llx", ends[0], ends[1]);
  printf("contention %016llx %016llx\n", (unsigned long long)checksum(counts), (unsigned long long)checksum(sums));
  return passed();
}
