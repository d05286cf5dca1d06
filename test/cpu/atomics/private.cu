// Atomic operations on a thread's own memory are loads, operations and stores: on variables by a pointer to one of
// several, on elements of a local array, on a variable whose address is in a called function's hands as well, and on a
// kernel's parameter.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: %run %t.shadow 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-pool=handles %s -o %t.handles
// RUN: %run %t.handles 2>&1 >/dev/null | %silent
#include "../inputs/ulp.h"

const int blocks = 4, threads = 96, total = blocks * threads, bins = 8, results = 8;
struct Limits {
  int low, high;
  unsigned long long seen;
};

__device__ __noinline__ void raise(int *value, int by) {
  *value = *value * 2 + by;
}

template <typename T>
__host__ __device__ T add(T *where, T by) {
#ifdef __CUDA_ARCH__
  return atomicAdd(where, by);
#else
  T old = *where;
  *where += by;
  return old;
#endif
}

__host__ __device__ int exchange(int *where, int old, int wanted) {
#ifdef __CUDA_ARCH__
  return atomicCAS(where, old, wanted);
#else
  int seen = *where;
  if (seen == old)
    *where = wanted;
  return seen;
#endif
}

__host__ __device__ int largest(int *where, int value) {
#ifdef __CUDA_ARCH__
  return atomicMax(where, value);
#else
  int old = *where;
  *where = old < value ? value : old;
  return old;
#endif
}

__host__ __device__ void variables(const int *in, int i, int *out) {
  int even = 10, odd = 20;
  float fraction = 0.5f;
  int *either = in[i] & 1 ? &odd : &even;
  out[0] = add(either, in[i]);
  out[1] = exchange(either, 31, 7) + largest(&odd, in[(i + 1) % total]);
  add(&fraction, float(in[i] & 255));
  out[2] = even * 3 + odd * 5 + int(fraction * 2);
}

__host__ __device__ void array(const int *in, int i, int *out) {
  int counts[bins] = {};
  for (int k = 0; k < 20; ++k)
    add(&counts[in[(i + k) % total] & bins - 1], k + 1);
  out[3] = 0;
  for (int k = 0; k < bins; ++k)
    out[3] = out[3] * 31 + counts[k];
}

__host__ __device__ void parameter(Limits &limits, const int *in, int i, int *out) {
  out[4] = add(&limits.low, in[i]);
  exchange(&limits.high, 100, in[i]);
  add(&limits.seen, 3ull);
  out[5] = limits.low + limits.high + int(limits.seen);
}

__global__ void update(Limits limits, const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *mine = out + i * results;
  variables(in, i, mine);
  array(in, i, mine);
  parameter(limits, in, i, mine);
  int shared = in[i] & 15;
  atomicAdd(&shared, 5);
  raise(&shared, 3);
  mine[6] = atomicAdd(&shared, 1);
  mine[7] = shared;
}

__global__ void parameterOnly(Limits limits, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&limits.low, i);
  out[i] = limits.low + limits.high;
}

int main() {
  Random random(11);
  std::vector<int> in(total), want(total * results);
  for (int &value : in)
    value = random.next() % 1000;
  in[0] = 21, in[1] = 11; // 31 of both variables
  Buffer<int> pin(in), pout(total * results), low(total);
  const Limits limits = {1, 100, 7};
  update<<<blocks, threads>>>(limits, pin, pout);
  parameterOnly<<<blocks, threads>>>(limits, low);
  for (int i = 0; i < total; ++i) {
    int *mine = &want[i * results];
    Limits own = limits;
    variables(in.data(), i, mine);
    array(in.data(), i, mine);
    parameter(own, in.data(), i, mine);
    mine[6] = ((in[i] & 15) + 5) * 2 + 3;
    mine[7] = mine[6] + 1;
  }
  const std::vector<int> have = pout.host(), lows = low.host();
  for (int k = 0; k < total * results; ++k)
    EXPECT(have[k] == want[k], "thread %d, result %d: %d, not %d", k / results, k % results, have[k], want[k]);
  for (int i = 0; i < total; ++i)
    EXPECT(lows[i] == 101 + i, "parameter of thread %d: %d, not %d", i, lows[i], 101 + i);
  printf("private %016llx\n", (unsigned long long)checksum(have.data(), have.size() * sizeof have[0]));
  return passed();
}
