// atomicAdd of float, double, half2, half, bfloat162 and bfloat16 in global and shared memory adds every value once:
// sums of small integers are exact in any order. Minimum and maximum of floats by compare and swap. atomicExch of
// float.
// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"
#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

const int blocks = 16, threads = 128, total = blocks * threads, cells = 40;
struct Cells {
  float single[cells], shared[cells], least, most;
  double real[cells], systems[cells];
  __half2 halves[cells];
  __nv_bfloat162 bfloats[cells];
  __half half[cells];
  __nv_bfloat16 bfloat[cells];
  float turns;
};

__device__ void extreme(float *word, float value, bool most) {
  unsigned *bits = reinterpret_cast<unsigned *>(word), old = *bits, seen;
  while (most ? __uint_as_float(old) < value : __uint_as_float(old) > value) {
    if ((seen = atomicCAS(bits, old, __float_as_uint(value))) == old)
      return;
    old = seen;
  }
}

__global__ void update(const float *in, Cells *all, float *previous) {
  __shared__ float shared[cells];
  for (int c = threadIdx.x; c < cells; c += threads)
    shared[c] = 0;
  __syncthreads();
  int i = blockIdx.x * threads + threadIdx.x, c = i % cells;
  float small = float(i % 3), v = in[i];
  atomicAdd(&all->single[c], float(i));
  atomicAdd(&shared[c], float(i));
  atomicAdd(&all->real[c], 1e9 * i);
  atomicAdd_system(&all->systems[c], double(i));
  atomicAdd(&all->halves[c], __floats2half2_rn(small, 1));
  atomicAdd(&all->bfloats[c], __floats2bfloat162_rn(1, small));
  atomicAdd(&all->half[c], __float2half(small));
  atomicAdd(&all->bfloat[c], __float2bfloat16(small));
  extreme(&all->least, v, false);
  extreme(&all->most, v, true);
  previous[i] = atomicExch(&all->turns, v);
  __syncthreads();
  for (int c = threadIdx.x; c < cells; c += threads)
    atomicAdd(&all->shared[c], shared[c]);
}

int main() {
  Random random(9);
  std::vector<float> in(total);
  for (int i = 0; i < total; ++i)
    in[i] = float(i) + random.unit() / 2 - 1000;
  std::vector<Cells> zero(1);
  memset(static_cast<void *>(zero.data()), 0, sizeof(Cells));
  Buffer<float> pin(in), previous(total);
  Buffer<Cells> all(zero);
  update<<<blocks, threads>>>(pin, all, previous);
  Cells have = all.host()[0];
  std::vector<float> links = previous.host();
  for (int c = 0; c < cells; ++c) {
    double sum = 0, small = 0, ones = 0;
    for (int i = c; i < total; i += cells)
      sum += i, small += i % 3, ones += 1;
    EXPECT(have.single[c] == sum && have.shared[c] == sum, "float cell %d: %g %g", c, have.single[c], have.shared[c]);
    EXPECT(have.real[c] == 1e9 * sum && have.systems[c] == sum, "double cell %d: %g %g", c, have.real[c],
           have.systems[c]);
    EXPECT(__low2float(have.halves[c]) == small && __high2float(have.halves[c]) == ones, "half2 cell %d", c);
    EXPECT(__low2float(have.bfloats[c]) == ones && __high2float(have.bfloats[c]) == small, "bfloat162 cell %d", c);
    EXPECT(__half2float(have.half[c]) == small && __bfloat162float(have.bfloat[c]) == small, "16-bit cell %d: %g %g", c,
           __half2float(have.half[c]), __bfloat162float(have.bfloat[c]));
  }
  EXPECT(have.least == *std::min_element(in.begin(), in.end()) && have.most == *std::max_element(in.begin(), in.end()),
         "extremes %g %g", have.least, have.most);
  links.push_back(have.turns); // every value and the initial zero, once each
  in.push_back(0);
  std::sort(links.begin(), links.end());
  std::sort(in.begin(), in.end());
  EXPECT(links == in, "atomicExch lost a value");
  printf("floating %016llx\n", (unsigned long long)checksum(have.single, sizeof have.single));
  return passed();
}
