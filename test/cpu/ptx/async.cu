// cp.async with its groups, its zero fill and its arrival at an mbarrier; mbarrier phases by state and by parity, in
// loops with asm labels; red and atom of every type; hints, which change nothing.
// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

constexpr int kThreads = 96;

__device__ uint32_t shared32(const void *p) {
  return uint32_t(__cvta_generic_to_shared(p));
}

// A wait in CUTLASS's form.
__device__ void waitParity(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n\t"
               ".reg .pred P1;\n\t"
               "LAB_WAIT_%=:\n\t"
               "mbarrier.test_wait.parity.shared.b64 P1, [%0], %1;\n\t"
               "@P1 bra.uni DONE_%=;\n\t"
               "bra.uni LAB_WAIT_%=;\n\t"
               "DONE_%=:\n\t"
               "}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

__global__ void pipeline(const uint4 *in, uint4 *out, uint32_t *partial, int rounds) {
  __shared__ alignas(16) uint4 stage[2][kThreads];
  __shared__ alignas(8) uint64_t barrier;
  const int t = threadIdx.x;
  const uint32_t bar = shared32(&barrier);
  if (t == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(kThreads) : "memory");
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    const uint4 *from = in + (blockIdx.x * rounds + r) * kThreads + t;
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared32(&stage[r % 2][t])), "l"(from)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar) : "memory");
    waitParity(bar, r % 2);
    // Reads another thread's copy.
    out[(blockIdx.x * rounds + r) * kThreads + t] = stage[r % 2][(t + 37) % kThreads];
    __syncthreads();
  }
  // By groups, with a source that ends early: the rest becomes zero.
  uint32_t size = t % 5;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n\tcp.async.commit_group;" ::"r"(shared32(&stage[0][t].x)),
               "l"(&in[t].y), "r"(size > 4 ? 4 : size)
               : "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  partial[blockIdx.x * kThreads + t] = stage[0][t].x;
}

// Phases by state: a thread's arrive returns the phase for its wait.
__global__ void phases(int *out, int rounds) {
  __shared__ alignas(8) uint64_t barrier;
  __shared__ int sum;
  const uint32_t bar = shared32(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(blockDim.x) : "memory");
    sum = 0;
  }
  __syncthreads();
  int seen = 0;
  for (int r = 0; r < rounds; r++) {
    asm volatile("red.shared.add.s32 [%0], %1;" ::"r"(shared32(&sum)), "r"(r + 1) : "memory");
    uint64_t state;
    uint32_t done = 0;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
    while (!done)
      asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                   : "=r"(done)
                   : "r"(bar), "l"(state)
                   : "memory");
    seen += sum; // all threads have added, and none has begun the next round
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}

struct Totals {
  uint32_t add, least, most, bitwise[3], wrapped, old;
  int32_t smallest, largest;
  unsigned long long add64, most64, exchanged;
  double sum;
  float single;
};

__global__ void atomics(Totals *t, const uint32_t *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint32_t v = in[i];
  uint64_t v64 = (uint64_t)v << 7 | v;
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(&t->add), "r"(v) : "memory");
  asm volatile("red.min.u32 [%0], %1;" ::"l"(&t->least), "r"(v) : "memory");
  asm volatile("red.max.u32 [%0], %1;" ::"l"(&t->most), "r"(v) : "memory");
  asm volatile("red.min.s32 [%0], %1;" ::"l"(&t->smallest), "r"(v) : "memory");
  asm volatile("red.max.s32 [%0], %1;" ::"l"(&t->largest), "r"(v) : "memory");
  asm volatile("red.and.b32 [%0], %1;" ::"l"(&t->bitwise[0]), "r"(v | 0xff) : "memory");
  asm volatile("red.or.b32 [%0], %1;" ::"l"(&t->bitwise[1]), "r"(v & 0xff00) : "memory");
  asm volatile("red.xor.b32 [%0], %1;" ::"l"(&t->bitwise[2]), "r"(v) : "memory");
  asm volatile("red.inc.u32 [%0], %1;" ::"l"(&t->wrapped), "r"(6) : "memory");
  asm volatile("red.add.u64 [%0], %1;" ::"l"(&t->add64), "l"(v64) : "memory");
  asm volatile("red.max.u64 [%0], %1;" ::"l"(&t->most64), "l"(v64) : "memory");
  asm volatile("red.add.f64 [%0], %1;" ::"l"(&t->sum), "d"(double(v >> 8)) : "memory");
  asm volatile("red.add.f32 [%0], %1;" ::"l"(&t->single), "f"(float(v >> 24)) : "memory");
  uint32_t old, expected;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(old) : "l"(&t->old) : "memory");
  do { // counts by compare and swap
    expected = old;
    asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(&t->old), "r"(expected), "r"(expected + 3)
                 : "memory");
  } while (old != expected);
  uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(policy));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(old) : "l"(in + i), "l"(policy));
  if (old != v)
    asm volatile("trap;");
}

int main() {
  const int blocks = 3, rounds = 5, n = blocks * rounds * kThreads;
  Random random(13);
  std::vector<uint4> in(n), out(n);
  for (uint4 &v : in)
    v = {random.next(), random.next(), random.next(), random.next()};
  std::vector<uint32_t> partial(blocks * kThreads);
  uint4 *dIn, *dOut;
  uint32_t *dPartial;
  CUDA(cudaMalloc(&dIn, n * sizeof(uint4)));
  CUDA(cudaMalloc(&dOut, n * sizeof(uint4)));
  CUDA(cudaMalloc(&dPartial, partial.size() * 4));
  CUDA(cudaMemcpy(dIn, in.data(), n * sizeof(uint4), cudaMemcpyHostToDevice));
  pipeline<<<blocks, kThreads>>>(dIn, dOut, dPartial, rounds);
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(uint4), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(partial.data(), dPartial, partial.size() * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    EXPECT(!memcmp(&out[i], &in[i / kThreads * kThreads + (i + 37) % kThreads], sizeof(uint4)), "%d", i);
  for (int i = 0; i < blocks * kThreads; i++) {
    int bytes = i % kThreads % 5;
    uint32_t kept = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
    EXPECT(partial[i] == (in[i % kThreads].y & kept), "%d: %08x", i, partial[i]);
  }
  printf("copies %016llx %016llx\n", (unsigned long long)checksum(out), (unsigned long long)checksum(partial));

  std::vector<int> seen(blocks * kThreads);
  int *dSeen;
  CUDA(cudaMalloc(&dSeen, seen.size() * 4));
  phases<<<blocks, kThreads>>>(dSeen, 6);
  CUDA(cudaMemcpy(seen.data(), dSeen, seen.size() * 4, cudaMemcpyDeviceToHost));
  for (int s : seen)
    EXPECT(s == kThreads * (1 + 3 + 6 + 10 + 15 + 21), "%d", s);
  printf("phases %016llx\n", (unsigned long long)checksum(seen));

  std::vector<uint32_t> values(1000);
  Totals t = {0, ~0u, 0, {~0u, 0, 0}, 0, 0, INT32_MAX, INT32_MIN, 0, 0, 0, 0, 0}, e = t;
  for (uint32_t &v : values) {
    v = random.next();
    uint64_t v64 = (uint64_t)v << 7 | v;
    e.add += v;
    e.least = v < e.least ? v : e.least;
    e.most = v > e.most ? v : e.most;
    e.smallest = int32_t(v) < e.smallest ? int32_t(v) : e.smallest;
    e.largest = int32_t(v) > e.largest ? int32_t(v) : e.largest;
    e.bitwise[0] &= v | 0xff;
    e.bitwise[1] |= v & 0xff00;
    e.bitwise[2] ^= v;
    e.wrapped = e.wrapped >= 6 ? 0 : e.wrapped + 1;
    e.add64 += v64;
    e.most64 = v64 > e.most64 ? v64 : e.most64;
    e.sum += double(v >> 8);
    e.single += float(v >> 24);
    e.old += 3;
  }
  Totals *dTotals;
  uint32_t *dValues;
  CUDA(cudaMalloc(&dTotals, sizeof t));
  CUDA(cudaMalloc(&dValues, values.size() * 4));
  CUDA(cudaMemcpy(dTotals, &t, sizeof t, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dValues, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
  atomics<<<8, 128>>>(dTotals, dValues, int(values.size()));
  CUDA(cudaMemcpy(&t, dTotals, sizeof t, cudaMemcpyDeviceToHost));
  EXPECT(t.add == e.add && t.least == e.least && t.most == e.most && t.wrapped == e.wrapped && t.old == e.old,
         "32 bits");
  EXPECT(t.smallest == e.smallest && t.largest == e.largest, "signed");
  EXPECT(!memcmp(t.bitwise, e.bitwise, sizeof t.bitwise), "bits");
  EXPECT(t.add64 == e.add64 && t.most64 == e.most64, "64 bits");
  EXPECT(t.sum == e.sum && t.single == e.single, "floating point: all sums are exact");
  printf("atomics %u %llu %.0f\n", t.add, t.add64, t.sum);
  for (void *p : {(void *)dIn, (void *)dOut, (void *)dPartial, (void *)dSeen, (void *)dTotals, (void *)dValues})
    CUDA(cudaFree(p));
  return passed();
}
