/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements special registers: the running thread's place, sizes and clocks. */
#include "device/cpu/helpers/helper.h"
#include <time.h>
#include <x86intrin.h>

#define SREG(name) HELPER uint32_t NVVM(read_ptx_sreg_##name)(void)
#define SREG64(name) HELPER uint64_t NVVM(read_ptx_sreg_##name)(void)
#define SREG_VECTOR(name)                                                                                              \
  SREG(name##_x) {                                                                                                     \
    return THREAD.name[0];                                                                                             \
  }                                                                                                                    \
  SREG(name##_y) {                                                                                                     \
    return THREAD.name[1];                                                                                             \
  }                                                                                                                    \
  SREG(name##_z) {                                                                                                     \
    return THREAD.name[2];                                                                                             \
  }

SREG_VECTOR(tid)
SREG_VECTOR(ntid)
SREG_VECTOR(ctaid)
SREG_VECTOR(nctaid)

/* Unused fourth components, and counters of a profiler, which does not exist here. */
#define SREG_ZERO(name)                                                                                                \
  SREG(name) {                                                                                                         \
    return 0;                                                                                                          \
  }
SREG_ZERO(tid_w)
SREG_ZERO(ntid_w)
SREG_ZERO(ctaid_w)
SREG_ZERO(nctaid_w)
SREG_ZERO(cluster_ctaid_w)
SREG_ZERO(cluster_nctaid_w)
SREG_ZERO(clusterid_w)
SREG_ZERO(nclusterid_w)
SREG_ZERO(pm0)
SREG_ZERO(pm1)
SREG_ZERO(pm2)
SREG_ZERO(pm3)

static inline HELPER uint32_t lane(void) {
  return THREAD.linear & 31;
}

SREG(laneid) {
  return lane();
}
SREG(warpid) {
  return THREAD.linear >> 5;
}
SREG(nwarpid) {
  return (THREAD.nthreads + 31) >> 5;
}
SREG(warpsize) {
  return 32;
}
SREG(smid) {
  return 0;
}
SREG(nsmid) {
  return 1;
}
SREG(gridid) {
  return (uint32_t)THREAD.grid_id;
}
/* PTX's %gridid has 64 bits; the intrinsic above has the lower half. */
SREG64(gridid64) {
  return THREAD.grid_id;
}

SREG(lanemask_eq) {
  return 1u << lane();
}
SREG(lanemask_lt) {
  return (1u << lane()) - 1;
}
SREG(lanemask_le) {
  return (2u << lane()) - 1;
}
SREG(lanemask_gt) {
  return ~((2u << lane()) - 1);
}
SREG(lanemask_ge) {
  return ~((1u << lane()) - 1);
}

SREG(dynamic_smem_size) {
  return THREAD.dynamic_shared;
}
SREG(total_smem_size) {
  return THREAD.shared_size;
}
SREG(aggr_smem_size) {
  return THREAD.shared_size;
}

/* Every block is a cluster of its own. */
SREG(cluster_ctaid_x) {
  return 0;
}
SREG(cluster_ctaid_y) {
  return 0;
}
SREG(cluster_ctaid_z) {
  return 0;
}
SREG(cluster_nctaid_x) {
  return 1;
}
SREG(cluster_nctaid_y) {
  return 1;
}
SREG(cluster_nctaid_z) {
  return 1;
}
SREG(cluster_ctarank) {
  return 0;
}
SREG(cluster_nctarank) {
  return 1;
}
SREG(clusterid_x) {
  return THREAD.ctaid[0];
}
SREG(clusterid_y) {
  return THREAD.ctaid[1];
}
SREG(clusterid_z) {
  return THREAD.ctaid[2];
}
SREG(nclusterid_x) {
  return THREAD.nctaid[0];
}
SREG(nclusterid_y) {
  return THREAD.nctaid[1];
}
SREG(nclusterid_z) {
  return THREAD.nctaid[2];
}
HELPER bool NVVM(is_explicit_cluster)(void) {
  return false;
}

/* Kernels cannot launch graphs here. */
SREG64(current_graph_exec) {
  return 0;
}

/* Cooperative groups read the address of a cooperative launch's workspace from these registers. */
SREG(envreg1) {
  return (uint32_t)(THREAD.grid_workspace >> 32);
}
SREG(envreg2) {
  return (uint32_t)THREAD.grid_workspace;
}
/* cuda::barrier and cooperative groups use 1 KiB of reserved shared memory below the block's own. */
SREG(reserved_smem_offset_1) {
  return (uint32_t)(uint64_t)THREAD.shared - 1024;
}

SREG(clock) {
  return (uint32_t)__rdtsc();
}
SREG(clock_hi) {
  return (uint32_t)(__rdtsc() >> 32);
}
SREG64(clock64) {
  return __rdtsc();
}
SREG64(globaltimer) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
SREG(globaltimer_lo) {
  return (uint32_t)NVVM(read_ptx_sreg_globaltimer)();
}
SREG(globaltimer_hi) {
  return (uint32_t)(NVVM(read_ptx_sreg_globaltimer)() >> 32);
}
