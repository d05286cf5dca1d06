// Parts of one warp in different branches call different warp functions a different number of times, nest, loop, return
// early, and converge again. Each part's masks name its own lanes.
// RUN: %gasan -O2 %s -o %t
// RUN: %gasan -O0 %s -o %t.unoptimised
// RUN: %run %t 2>&1 | %same
// RUN: %run %t.unoptimised 2>&1 | %same.1
#include "../inputs/self_check.h"

constexpr unsigned Full = 0xffffffffu, Low = 0x0000ffffu, High = 0xffff0000u;

__device__ int butterfly(unsigned mask, int value, int width) {
  for (int i = width / 2; i; i /= 2)
    value += __shfl_xor_sync(mask, value, i);
  return value;
}

// Low half: a sum. High half: ballots. A quarter of each takes a further branch.
__global__ void halves(int *out) {
  const int lane = threadIdx.x % 32;
  int result;
  if (lane < 16) {
    result = butterfly(Low, lane + threadIdx.x, 16);
    if (lane < 4) {
      result = result * 3 + __popc(__ballot_sync(0xf, lane & 1));
      __syncwarp(0xf);
    } else {
      result += __shfl_sync(0xfff0, result, 7);
    }
  } else {
    unsigned even = __ballot_sync(High, lane % 2 == 0);
    if (even >> lane & 1)
      result = __any_sync(even, lane == 30) ? 1 + __shfl_xor_sync(even, 1, 2) : -1;
    else
      result = __all_sync(High & ~even, lane > 15) * 100 + __shfl_up_sync(High & ~even, lane, 2);
    __syncwarp(High);
  }
  __syncwarp(Full);
  result = result * 1000 + butterfly(Full, lane, 32);
  out[threadIdx.x] = result;
}

// Lane i does i+1 rounds. The lanes of a round count each other.
__global__ void leaving(int *out) {
  const int lane = threadIdx.x % 32;
  unsigned mask = Full;
  int counted = 0;
  for (int round = 0;; ++round) {
    counted = counted * 3 + __popc(__ballot_sync(mask, (lane + round) % 2));
    mask = __ballot_sync(mask, lane > round);
    if (lane <= round)
      break;
  }
  out[threadIdx.x] = counted;
  __syncwarp(Full);
  out[threadIdx.x] += __shfl_sync(Full, counted, 31);
}

// Every third lane returns. Then a mask of all lanes means the remaining lanes.
__global__ void returning(int *out) {
  const int lane = threadIdx.x % 32;
  if (lane % 3 == 1)
    return;
  unsigned left = __ballot_sync(Full, 1);
  int value = lane;
  if (lane >= 16)
    value += __popc(__ballot_sync(left & High, lane % 2));
  if (lane == 0)
    return;
  __syncwarp(left & ~1u);
  out[threadIdx.x] = __popc(__ballot_sync(Full, 1)) * 100 + value + (__any_sync(Full, lane == 0) ? 10000 : 0);
}

static int host(int kernel, int t) {
  const int lane = t % 32;
  if (kernel == 0) {
    unsigned result;
    if (lane < 16) {
      result = 0;
      for (int i = 0; i < 16; ++i)
        result += i + t / 32 * 32 + i;
      result = lane < 4 ? result * 3 + 2 : result + result;
    } else if (lane % 2 == 0) {
      result = 2;
    } else {
      result = 100 + (lane - 2 < 0 ? lane : lane == 17 ? 15 : lane - 2);
      if (lane == 17)
        return 0; // the source is in the other half: undefined
    }
    return int(result * 1000 + 496);
  }
  if (kernel == 1) {
    auto counted = [](int lane) {
      unsigned counted = 0;
      for (int round = 0; round <= lane; ++round) {
        int population = 0;
        for (int i = 0; i < 32; ++i)
          population += (round == 0 || i > round - 1) && (i + round) % 2;
        counted = counted * 3 + population;
      }
      return counted;
    };
    return int(counted(lane) + counted(31));
  }
  if (lane % 3 == 1 || lane == 0)
    return -1;
  int value = lane, left = 0, odd = 0;
  for (int i = 0; i < 32; ++i)
    if (i % 3 != 1) {
      left += i != 0;
      odd += i >= 16 && i % 2;
    }
  return left * 100 + value + (lane >= 16 ? odd : 0);
}

int main() {
  const int threads = 96;
  std::vector<int> out(threads);
  int *d;
  CUDA(cudaMalloc(&d, threads * sizeof(int)));
  void (*const kernels[])(int *) = {halves, leaving, returning};
  for (int k = 0; k < 3; ++k) {
    CUDA(cudaMemset(d, 0xff, threads * sizeof(int)));
    kernels[k]<<<1, threads>>>(d);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), d, threads * sizeof(int), cudaMemcpyDeviceToHost));
    for (int t = 0; t < threads; ++t) {
      const int expected = host(k, t);
      if (k == 0 && expected == 0) {
        out[t] = 0;
        continue;
      }
      EXPECT(out[t] == expected, "kernel %d thread %d: %d, not %d", k, t, out[t], expected);
    }
    printf("%016llx\n", (unsigned long long)checksum(out));
  }
  CUDA(cudaFree(d));
  return passed();
}
