// cuda::atomic and atomic_ref in every scope and order, cuda::barrier with phases and dropped threads, and
// cuda::pipeline with memcpy_async in two stages.
// RUN: %gasan -O2 -g0 %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "../inputs/self_check.h"

// clang does not allow __shared__ variables with a constructor.
template <typename T>
__device__ T *shared() {
  __shared__ alignas(T) unsigned char storage[sizeof(T)];
  return reinterpret_cast<T *>(storage);
}

struct Totals {
  int add, least, most;
  unsigned bits, toggled;
  unsigned long long add64;
  double sum;
  float largest;
  unsigned char small;
  int swaps;
};

template <cuda::thread_scope Scope>
__device__ void update(Totals *t, int v, cuda::memory_order order) {
  cuda::atomic_ref<int, Scope>(t->add).fetch_add(v, order);
  cuda::atomic_ref<int, Scope>(t->least).fetch_min(v, order);
  cuda::atomic_ref<int, Scope>(t->most).fetch_max(v, order);
  cuda::atomic_ref<unsigned, Scope>(t->bits).fetch_or(1u << (v & 31), order);
  cuda::atomic_ref<unsigned, Scope>(t->toggled).fetch_xor(unsigned(v), order);
  cuda::atomic_ref<unsigned long long, Scope>(t->add64).fetch_sub((unsigned long long)v << 20, order);
  cuda::atomic_ref<double, Scope>(t->sum).fetch_add(double(v), order);
  cuda::atomic_ref<float, Scope>(t->largest).fetch_max(float(v), order);
  cuda::atomic_ref<unsigned char, Scope>(t->small).fetch_add((unsigned char)v, order);
  cuda::atomic_ref<int, Scope> swaps(t->swaps);
  int old = swaps.load(cuda::memory_order_relaxed);
  while (!swaps.compare_exchange_weak(old, old + 2, order, cuda::memory_order_relaxed))
    ;
}

__global__ void updates(Totals *t, const int *in, int n) {
  const cuda::memory_order orders[] = {cuda::memory_order_relaxed, cuda::memory_order_acquire,
                                       cuda::memory_order_release, cuda::memory_order_acq_rel,
                                       cuda::memory_order_seq_cst};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  cuda::memory_order order = orders[i % 5];
  if (i % 2)
    update<cuda::thread_scope_device>(t, in[i], order);
  else
    update<cuda::thread_scope_system>(t, in[i], order);
}

// The first block passes a value to the second; both wait for each other.
__global__ void handOver(cuda::atomic<int, cuda::thread_scope_device> *flag, int *data, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    flag->store(1, cuda::memory_order_release);
    flag->wait(1);
    out[0] = *data;
  } else {
    while (flag->load(cuda::memory_order_acquire) != 1)
      ;
    out[1] = *data;
    *data = 43;
    flag->store(2, cuda::memory_order_release);
    flag->notify_all();
  }
}

// Half of the threads exit after the first phase.
__global__ void phases(int *out) {
  auto &barrier = *shared<cuda::barrier<cuda::thread_scope_block>>();
  __shared__ int sums[3];
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  if (threadIdx.x < 3)
    sums[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&sums[0], 1);
  if (threadIdx.x % 2) {
    barrier.arrive_and_drop();
    return;
  }
  barrier.arrive_and_wait();
  atomicAdd(&sums[1], sums[0]);
  auto token = barrier.arrive();
  barrier.wait(std::move(token));
  atomicAdd(&sums[2], sums[1]);
  barrier.arrive_and_wait();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sums[2];
}

__global__ void stages(const int *in, int *out, int tiles) {
  constexpr int kTile = 64;
  __shared__ alignas(16) int buffer[2][kTile];
  auto &state = *shared<cuda::pipeline_shared_state<cuda::thread_scope_block, 2>>();
  auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int fetch = 0, use = 0; use < tiles; use++) {
    for (; fetch < tiles && fetch < use + 2; fetch++) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, buffer[fetch % 2], in + fetch * kTile, cuda::aligned_size_t<16>(sizeof buffer[0]),
                         pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    out[use * kTile + threadIdx.x] = buffer[use % 2][kTile - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
}

int main() {
  Random random(19);
  const int n = 2000;
  std::vector<int> in(n);
  Totals t = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, e = t;
  for (int &v : in) {
    v = int(random.below(100000)) - 50000;
    e.add += v;
    e.least = v < e.least ? v : e.least;
    e.most = v > e.most ? v : e.most;
    e.bits |= 1u << (v & 31);
    e.toggled ^= unsigned(v);
    e.add64 -= (unsigned long long)v << 20;
    e.sum += v;
    e.largest = float(v) > e.largest ? float(v) : e.largest;
    e.small = (unsigned char)(e.small + v);
    e.swaps += 2;
  }
  Totals *dTotals;
  int *dIn, *dOut;
  CUDA(cudaMalloc(&dTotals, sizeof t));
  CUDA(cudaMalloc(&dIn, n * 4));
  CUDA(cudaMalloc(&dOut, n * 4));
  CUDA(cudaMemcpy(dTotals, &t, sizeof t, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dIn, in.data(), n * 4, cudaMemcpyHostToDevice));
  updates<<<16, 128>>>(dTotals, dIn, n);
  CUDA(cudaMemcpy(&t, dTotals, sizeof t, cudaMemcpyDeviceToHost));
  EXPECT(t.add == e.add && t.least == e.least && t.most == e.most && t.swaps == e.swaps, "int");
  EXPECT(t.bits == e.bits && t.toggled == e.toggled && t.add64 == e.add64 && t.small == e.small, "other integers");
  EXPECT(t.sum == e.sum && t.largest == e.largest, "floating point: all sums are exact");
  printf("atomics %d %llu %.0f\n", t.add, t.add64, t.sum);

  cuda::atomic<int, cuda::thread_scope_device> *flag;
  CUDA(cudaMalloc(&flag, sizeof *flag));
  CUDA(cudaMemset(flag, 0, sizeof *flag));
  handOver<<<2, 1>>>(flag, dIn, dOut);
  int handed[2];
  CUDA(cudaMemcpy(handed, dOut, sizeof handed, cudaMemcpyDeviceToHost));
  EXPECT(handed[0] == 43 && handed[1] == 42, "%d %d", handed[0], handed[1]);

  phases<<<4, 96>>>(dOut);
  std::vector<int> out(4 * 96);
  CUDA(cudaMemcpy(out.data(), dOut, out.size() * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4 * 96; i += 2)
    EXPECT(out[i] == 96 * 48 * 48, "%d: %d", i, out[i]);
  printf("phases %d\n", out[0]);

  CUDA(cudaMemcpy(dIn, in.data(), n * 4, cudaMemcpyHostToDevice));
  stages<<<1, 64>>>(dIn, dOut, 30);
  std::vector<int> staged(30 * 64);
  CUDA(cudaMemcpy(staged.data(), dOut, staged.size() * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 30 * 64; i++)
    EXPECT(staged[i] == in[i / 64 * 64 + 63 - i % 64], "%d", i);
  printf("stages %016llx\n", (unsigned long long)checksum(staged));
  CUDA(cudaFree(flag));
  CUDA(cudaFree(dTotals));
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
  return passed();
}
