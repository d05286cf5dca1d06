// The headers of CUDA whose inline PTX and intrinsics the CPU device must support at sm_80. -femit-all-decls emits
// every function that is no template; the asm of templates is instantiated here.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/detail/strong_load.cuh>
#include <cub/detail/strong_store.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/util_ptx.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/discard_memory>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/std/atomic>
#include <cuda/std/chrono>
#include <cuda_awbarrier.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>

template <typename T, cuda::thread_scope Scope>
__device__ T atomics(T *place, T value, cuda::memory_order order) {
  cuda::atomic_ref<T, Scope> a(*place);
  a.store(value, order);
  T old = a.load(order) + a.exchange(value, order);
  a.compare_exchange_weak(old, value, order, order);
  a.compare_exchange_strong(old, value, order, order);
  return old + a.fetch_add(value, order) + a.fetch_sub(value, order) + a.fetch_min(value, order) +
         a.fetch_max(value, order);
}
template <typename T, cuda::thread_scope Scope>
__device__ T bits(T *place, T value, cuda::memory_order order) {
  cuda::atomic_ref<T, Scope> a(*place);
  return a.fetch_and(value, order) + a.fetch_or(value, order) + a.fetch_xor(value, order);
}
template <cuda::thread_scope Scope>
__device__ void atomicsOfScope(void *place, cuda::memory_order order) {
  atomics<int, Scope>((int *)place, 1, order);
  atomics<unsigned, Scope>((unsigned *)place, 1, order);
  atomics<long long, Scope>((long long *)place, 1, order);
  atomics<unsigned long long, Scope>((unsigned long long *)place, 1, order);
  atomics<short, Scope>((short *)place, 1, order);
  atomics<unsigned char, Scope>((unsigned char *)place, 1, order);
  atomics<float, Scope>((float *)place, 1, order);
  atomics<double, Scope>((double *)place, 1, order);
  bits<int, Scope>((int *)place, 1, order);
  bits<unsigned, Scope>((unsigned *)place, 1, order);
  bits<long long, Scope>((long long *)place, 1, order);
  bits<unsigned long long, Scope>((unsigned long long *)place, 1, order);
  bits<unsigned char, Scope>((unsigned char *)place, 1, order);
  cuda::atomic_thread_fence(order, Scope);
}
__global__ void atomicsOfAllScopes(void *place, cuda::memory_order order) {
  atomicsOfScope<cuda::thread_scope_thread>(place, order);
  atomicsOfScope<cuda::thread_scope_block>(place, order);
  atomicsOfScope<cuda::thread_scope_device>(place, order);
  atomicsOfScope<cuda::thread_scope_system>(place, order);
}

template <cub::CacheLoadModifier Modifier, typename T>
__device__ T load(T *p) {
  return cub::ThreadLoad<Modifier>(p);
}
template <cub::CacheStoreModifier Modifier, typename T>
__device__ void store(T *p, T v) {
  cub::ThreadStore<Modifier>(p, v);
}
template <typename T>
__device__ void moves(T *p) {
  store<cub::STORE_WB>(p, load<cub::LOAD_CA>(p));
  store<cub::STORE_CG>(p, load<cub::LOAD_CG>(p));
  store<cub::STORE_CS>(p, load<cub::LOAD_CS>(p));
  store<cub::STORE_WT>(p, load<cub::LOAD_CV>(p));
  store<cub::STORE_VOLATILE>(p, load<cub::LOAD_LDG>(p));
  store<cub::STORE_DEFAULT>(p, load<cub::LOAD_VOLATILE>(p));
}
template <typename T>
__device__ void strong(T *p) {
  cub::detail::store_relaxed(p, cub::detail::load_relaxed(p));
  cub::detail::store_release(p, *p);
}
template <typename T>
__device__ T warps(T v) {
  __shared__ typename cub::WarpScan<T>::TempStorage scan;
  __shared__ typename cub::WarpReduce<T>::TempStorage reduce;
  cub::WarpScan<T>(scan).InclusiveSum(v, v);
  cub::WarpScan<T>(scan).InclusiveScan(v, v, cuda::maximum<>());
  return cub::WarpReduce<T>(reduce).Sum(v) + cub::WarpReduce<T>(reduce).Reduce(v, cuda::maximum<>());
}
__global__ void ofCub(void *p) {
  moves((char *)p);
  moves((short *)p);
  moves((int *)p);
  moves((long long *)p);
  moves((float *)p);
  moves((double *)p);
  moves((uint2 *)p);
  moves((uint4 *)p);
  strong((uint4 *)p);
  strong((uint2 *)p);
  cub::detail::load_acquire((uint2 *)p);
  cub::detail::load_acquire((unsigned *)p);
  strong((unsigned *)p);
  strong((unsigned short *)p);
  strong((unsigned char *)p);
  *(int *)p = warps(*(int *)p);
  *(float *)p = warps(*(float *)p);
  *(unsigned *)p = warps(*(unsigned *)p);
  *(long long *)p = warps(*(long long *)p);
  *(double *)p = warps(*(double *)p);
  *(unsigned *)p = cub::MatchAny<5>(*(unsigned *)p);
}

// clang takes no __shared__ variable whose type has a constructor.
template <typename T>
__device__ T *shared() {
  __shared__ alignas(T) unsigned char storage[sizeof(T)];
  return reinterpret_cast<T *>(storage);
}

__global__ void ofBarriers(int *p) {
  auto &barrier = *shared<cuda::barrier<cuda::thread_scope_block>>();
  auto &state = *shared<cuda::pipeline_shared_state<cuda::thread_scope_block, 2>>();
  __shared__ int stage[64];
  namespace cg = cooperative_groups;
  cg::thread_block block = cg::this_thread_block();
  init(&barrier, 1);
  barrier.arrive_and_wait();
  barrier.wait_parity(true);
  barrier.try_wait_for(barrier.arrive(), cuda::std::chrono::nanoseconds(1));
  barrier.arrive_and_drop();
  cuda::memcpy_async(block, stage, p, cuda::aligned_size_t<16>(64), barrier);
  auto pipeline = cuda::make_pipeline(block, &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(block, stage, p, 64, pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  pipeline.consumer_release();
  auto own = cuda::make_pipeline();
  cuda::memcpy_async(stage, p, cuda::aligned_size_t<4>(4), own);
  own.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(own);
  auto tile = cg::tiled_partition<8>(block);
  p[0] = cg::reduce(tile, p[0], cg::plus<int>()) + cg::inclusive_scan(tile, p[1]) + tile.match_any(p[2]);
  auto active = cg::coalesced_threads();
  p[1] = cg::reduce(active, p[0], cg::greater<int>()) + active.shfl(p[0], 0);
  cuda::annotated_ptr<int, cuda::access_property::persisting> kept(p);
  kept[2] = cuda::associate_access_property(p, cuda::access_property::streaming())[0];
  cuda::apply_access_property(p, 128, cuda::access_property::persisting());
}

__global__ void ofPtx(uint64_t *p, int *out) {
  using namespace cuda::ptx;
  __shared__ uint64_t barrier;
  mbarrier_init(&barrier, 1);
  uint64_t state = mbarrier_arrive(&barrier);
  state = mbarrier_arrive_no_complete(&barrier, 1);
  out[0] = mbarrier_test_wait(&barrier, state) + mbarrier_test_wait_parity(&barrier, 0);
  cp_async_mbarrier_arrive(&barrier);
  cp_async_mbarrier_arrive_noinc(&barrier);
  fence(sem_sc, scope_cta);
  fence(sem_acq_rel, scope_sys);
  out[1] = bfind(uint32_t(p[0])) + bfind(p[0]) + bfind_shiftamt(p[0]) + bmsk_clamp(1, 2) + bmsk_wrap(1, 2);
  out[2] = prmt(out[0], out[1], out[2]) + prmt_f4e(out[0], out[1], out[2]) + prmt_rc16(out[0], out[1], out[2]);
  out[3] = shl(uint32_t(out[0]), 3u) + shr(out[1], 3u) + get_sreg_laneid() + get_sreg_smid();
}
