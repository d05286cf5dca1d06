/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements memory operations: address spaces, addresses of shared memory, asynchronous copies, mbarriers,
 * prefetch. */
#include "device/cpu/helpers/helper.h"

HELPER void *gasan_shared_base(void) {
  return THREAD.shared;
}
HELPER void *gasan_dynamic_base(void) {
  return THREAD.shared + THREAD.dynamic_offset;
}

HELPER uint64_t *gasan_frames_slot(void) {
  return &THREAD.frames[THREAD.linear];
}

HELPER bool NVVM(isspacep_shared)(const char *p) {
  return (uint64_t)p - (uint64_t)THREAD.shared < THREAD.shared_size;
}
HELPER bool NVVM(isspacep_shared_cluster)(const char *p) {
  return NVVM(isspacep_shared)(p);
}
HELPER bool NVVM(isspacep_local)(const char *p) {
  return p >= THREAD.stack_low && p < THREAD.stack_high;
}
HELPER bool NVVM(isspacep_global)(const char *p) {
  return !NVVM(isspacep_shared)(p) && !NVVM(isspacep_local)(p);
}
/* Constant variables are in the global space here. */
HELPER bool NVVM(isspacep_const)(const char *p) {
  (void)p;
  return false;
}

/* A cluster is one block, so its shared memory is the block's own. */
HELPER char *NVVM(mapa)(char *p, uint32_t rank) {
  (void)rank;
  return p;
}
HELPER char *NVVM(mapa_shared_cluster)(char *p, uint32_t rank) {
  return NVVM(mapa)(p, rank);
}
HELPER uint32_t NVVM(getctarank)(const char *p) {
  (void)p;
  return 0;
}
HELPER uint32_t NVVM(getctarank_shared_cluster)(const char *p) {
  return NVVM(getctarank)(p);
}

/* An asynchronous copy is complete at once. `size` bytes come from the source; the rest is set to zero. */
#define COPY_ASYNC(name, bytes)                                                                                        \
  HELPER void NVVM(cp_async_##name##_shared_global_##bytes)(void *to, const void *from) {                              \
    __builtin_memcpy(to, from, bytes);                                                                                 \
  }                                                                                                                    \
  HELPER void NVVM(cp_async_##name##_shared_global_##bytes##_s)(void *to, const void *from, uint32_t size) {           \
    char block[bytes] = {0};                                                                                           \
    __builtin_memcpy(block, from, size < bytes ? size : bytes);                                                        \
    __builtin_memcpy(to, block, bytes);                                                                                \
  }
COPY_ASYNC(ca, 4)
COPY_ASYNC(ca, 8)
COPY_ASYNC(ca, 16)
COPY_ASYNC(cg, 16)
/* A copy with sizes that are known only at run time, for inline PTX. */
HELPER void NVVM(cp_async)(char *to, const char *from, uint32_t bytes, uint32_t source_bytes) {
  for (uint32_t i = 0; i < bytes; ++i)
    to[i] = i < source_bytes ? from[i] : 0;
}
HELPER void NVVM(cp_async_commit_group)(void) {}
HELPER void NVVM(cp_async_wait_group)(uint32_t pending) {
  (void)pending;
}
HELPER void NVVM(cp_async_wait_all)(void) {}

/* An mbarrier word has the arrivals still expected in this phase, the arrivals of a full phase, and the phase number.
 * Accesses are plain, because all threads of a block run on one OS thread. */
enum { COUNT_BITS = 20, COUNT_MASK = (1 << COUNT_BITS) - 1, PHASE_SHIFT = 2 * COUNT_BITS };

static inline HELPER uint64_t mbarrier_word(uint64_t pending, uint64_t full, uint64_t phase) {
  return pending | full << COUNT_BITS | phase << PHASE_SHIFT;
}
static inline HELPER uint64_t mbarrier_arrive(volatile uint64_t *barrier, uint32_t count, uint32_t drop) {
  uint64_t before = *barrier;
  uint64_t pending = (before & COUNT_MASK) - count;
  uint64_t full = (before >> COUNT_BITS & COUNT_MASK) - drop;
  uint64_t phase = before >> PHASE_SHIFT;
  *barrier = pending == 0 ? mbarrier_word(full, full, phase + 1) : mbarrier_word(pending, full, phase);
  return before;
}
static inline CONVERGENT bool mbarrier_passed(bool passed) {
  if (!passed)
    gasan_cpu_yield();
  return passed;
}

#define MBARRIER(suffix)                                                                                               \
  HELPER void NVVM(mbarrier_init##suffix)(volatile uint64_t *barrier, uint32_t count) {                                \
    *barrier = mbarrier_word(count, count, 0);                                                                         \
  }                                                                                                                    \
  HELPER void NVVM(mbarrier_inval##suffix)(volatile uint64_t *barrier) {                                               \
    *barrier = 0;                                                                                                      \
  }                                                                                                                    \
  HELPER uint64_t NVVM(mbarrier_arrive##suffix)(volatile uint64_t *barrier) {                                          \
    return mbarrier_arrive(barrier, 1, 0);                                                                             \
  }                                                                                                                    \
  HELPER uint64_t NVVM(mbarrier_arrive_noComplete##suffix)(volatile uint64_t *barrier, uint32_t count) {               \
    return mbarrier_arrive(barrier, count, 0);                                                                         \
  }                                                                                                                    \
  HELPER uint64_t NVVM(mbarrier_arrive_drop##suffix)(volatile uint64_t *barrier) {                                     \
    return mbarrier_arrive(barrier, 1, 1);                                                                             \
  }                                                                                                                    \
  HELPER uint64_t NVVM(mbarrier_arrive_drop_noComplete##suffix)(volatile uint64_t *barrier, uint32_t count) {          \
    return mbarrier_arrive(barrier, count, count);                                                                     \
  }                                                                                                                    \
  CONVERGENT bool NVVM(mbarrier_test_wait##suffix)(volatile uint64_t *barrier, uint64_t state) {                       \
    return mbarrier_passed(*barrier >> PHASE_SHIFT != state >> PHASE_SHIFT);                                           \
  }                                                                                                                    \
  CONVERGENT bool NVVM(mbarrier_test_wait_parity##suffix)(volatile uint64_t *barrier, uint32_t parity) {               \
    return mbarrier_passed((*barrier >> PHASE_SHIFT & 1) != (parity & 1));                                             \
  }                                                                                                                    \
  HELPER void NVVM(cp_async_mbarrier_arrive##suffix)(volatile uint64_t *barrier) {                                     \
    *barrier += 1; /* one more arrival is expected, that of the copies, which happens at once */                       \
    mbarrier_arrive(barrier, 1, 0);                                                                                    \
  }                                                                                                                    \
  HELPER void NVVM(cp_async_mbarrier_arrive_noinc##suffix)(volatile uint64_t *barrier) {                               \
    mbarrier_arrive(barrier, 1, 0);                                                                                    \
  }
MBARRIER()
MBARRIER(_shared)
HELPER uint32_t NVVM(mbarrier_pending_count)(uint64_t state) {
  return (uint32_t)(state & COUNT_MASK);
}

#define PREFETCH(name)                                                                                                 \
  HELPER void NVVM(name)(const void *p) {                                                                              \
    (void)p;                                                                                                           \
  }
PREFETCH(prefetch_L1)
PREFETCH(prefetch_L2)
PREFETCH(prefetch_global_L1)
PREFETCH(prefetch_global_L2)
PREFETCH(prefetch_global_L2_evict_last)
PREFETCH(prefetch_global_L2_evict_normal)
PREFETCH(prefetch_local_L1)
PREFETCH(prefetch_local_L2)
PREFETCH(prefetchu_L1)
HELPER void NVVM(pm_event_mask)(uint16_t mask) {
  (void)mask;
}
