/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements barriers and fences, polling, and the end of a thread. */
#include "device/cpu/helpers/helper.h"

CONVERGENT void NVVM(barrier_cta_sync_all)(uint32_t id) {
  gasan_cpu_barrier(id, 0);
}
CONVERGENT void NVVM(barrier_cta_sync_aligned_all)(uint32_t id) {
  gasan_cpu_barrier(id, 0);
}
CONVERGENT void NVVM(barrier_cta_sync_count)(uint32_t id, uint32_t count) {
  gasan_cpu_barrier(id, count);
}
CONVERGENT void NVVM(barrier_cta_sync_aligned_count)(uint32_t id, uint32_t count) {
  gasan_cpu_barrier(id, count);
}
CONVERGENT void NVVM(barrier_cta_arrive_count)(uint32_t id, uint32_t count) {
  gasan_cpu_barrier_arrive(id, count);
}
CONVERGENT void NVVM(barrier_cta_arrive_aligned_count)(uint32_t id, uint32_t count) {
  gasan_cpu_barrier_arrive(id, count);
}

#define BARRIER_REDUCE(name, type, kind)                                                                               \
  CONVERGENT type NVVM(barrier_cta_red_##name##_all)(uint32_t id, bool predicate) {                                    \
    return gasan_cpu_barrier_reduce(id, 0, kind, predicate);                                                           \
  }                                                                                                                    \
  CONVERGENT type NVVM(barrier_cta_red_##name##_aligned_all)(uint32_t id, bool predicate) {                            \
    return gasan_cpu_barrier_reduce(id, 0, kind, predicate);                                                           \
  }                                                                                                                    \
  CONVERGENT type NVVM(barrier_cta_red_##name##_count)(uint32_t id, uint32_t count, bool predicate) {                  \
    return gasan_cpu_barrier_reduce(id, count, kind, predicate);                                                       \
  }                                                                                                                    \
  CONVERGENT type NVVM(barrier_cta_red_##name##_aligned_count)(uint32_t id, uint32_t count, bool predicate) {          \
    return gasan_cpu_barrier_reduce(id, count, kind, predicate);                                                       \
  }

BARRIER_REDUCE(popc, uint32_t, GASAN_BARRIER_POPC)
BARRIER_REDUCE(and, bool, GASAN_BARRIER_AND)
BARRIER_REDUCE(or, bool, GASAN_BARRIER_OR)

/* A cluster is one block, so its barrier is the block's. Only `wait` waits, because `arrive` must not block. */
CONVERGENT void NVVM(barrier_cluster_arrive)(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
CONVERGENT void NVVM(barrier_cluster_arrive_aligned)(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
CONVERGENT void NVVM(barrier_cluster_arrive_relaxed)(void) {}
CONVERGENT void NVVM(barrier_cluster_arrive_relaxed_aligned)(void) {}
CONVERGENT void NVVM(barrier_cluster_wait)(void) {
  gasan_cpu_barrier(0, 0);
}
CONVERGENT void NVVM(barrier_cluster_wait_aligned)(void) {
  gasan_cpu_barrier(0, 0);
}

#define FENCE(name)                                                                                                    \
  HELPER void NVVM(name)(void) {                                                                                       \
    __atomic_thread_fence(__ATOMIC_SEQ_CST);                                                                           \
  }
FENCE(membar_cta)
FENCE(membar_gl)
FENCE(membar_sys)
FENCE(fence_sc_cluster)
FENCE(fence_mbarrier_init_release_cluster)
FENCE(fence_proxy_alias)
FENCE(fence_proxy_async)
FENCE(fence_proxy_async_global)
FENCE(fence_proxy_async_shared_cta)
FENCE(fence_proxy_async_shared_cluster)

CONVERGENT void NVVM(nanosleep)(uint32_t nanoseconds) {
  (void)nanoseconds;
  gasan_cpu_yield();
}
HELPER void NVVM(exit)(void) {
  gasan_cpu_exit();
}

enum { GASAN_ERROR_LAUNCH_FAILURE = 719 };
HELPER void gasan_trap(void) {
  gasan_cpu_trap(GASAN_ERROR_LAUNCH_FAILURE);
}

/* Called before accesses by which a loop may wait for another thread. The first polls do not switch to another thread,
 * because most loops do not wait, and a switch costs more than the access. */
enum { POLLS_BEFORE_SWITCH = 64 };
CONVERGENT void gasan_poll(void) {
  if (__builtin_expect(++THREAD.spin > POLLS_BEFORE_SWITCH, 0))
    gasan_cpu_yield();
}

/* Programmatic dependent launch: the earlier launch is complete already. */
HELPER void NVVM(griddepcontrol_launch_dependents)(void) {}
HELPER void NVVM(griddepcontrol_wait)(void) {}
