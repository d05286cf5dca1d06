/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Occupancy calls. They count the blocks that fit on a multiprocessor, for the kernel or variant that a launch with so
 * many threads for each block runs if nothing is proven: the variant that takes most registers where it fits, else the
 * kernel itself, which has fewer registers (driver/registers.h). A variant for proven launches may need another number
 * of registers. If a cooperative launch of such a variant has too many blocks, it runs the kernel itself. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/launch/launch_proof.h"

static bool has_succeeded(cudaError_t error, cudaError_t waiting) {
  if (error != cudaSuccess)
    gasan_forget_error(waiting);
  return error == cudaSuccess;
}

/* Calls CUDA for the variant. If there is no variant or the call fails, calls CUDA for the kernel itself, so that
 * errors are the program's own. */
#define ASK(wide, ask_variant, ask_kernel)                                                                             \
  ({                                                                                                                   \
    cudaError_t waiting_ = wide ? gasan_waiting_error() : cudaSuccess;                                                 \
    wide &&has_succeeded((ask_variant), waiting_) ? cudaSuccess : (ask_kernel);                                        \
  })

cudaError_t gasan_call_occupancy_max_active_blocks(struct gasan_call *call, int *blocks, const void *function,
                                                   int threads, size_t shared) {
  const void *wide = threads > 0 ? gasan_launch_proof_unproven(function, (uint64_t)threads) : NULL;
  return ASK(wide, GASAN_CALL_REAL(call, cudaOccupancyMaxActiveBlocksPerMultiprocessor)(blocks, wide, threads, shared),
             GASAN_CALL_REAL(call, cudaOccupancyMaxActiveBlocksPerMultiprocessor)(blocks, function, threads, shared));
}

cudaError_t gasan_call_occupancy_max_active_blocks_with_flags(struct gasan_call *call, int *blocks,
                                                              const void *function, int threads, size_t shared,
                                                              unsigned flags) {
  const void *wide = threads > 0 ? gasan_launch_proof_unproven(function, (uint64_t)threads) : NULL;
  return ASK(wide,
             GASAN_CALL_REAL(call, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(blocks, wide, threads,
                                                                                           shared, flags),
             GASAN_CALL_REAL(call, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(blocks, function, threads,
                                                                                           shared, flags));
}

static uint64_t threads_of(const cudaLaunchConfig_t *config) {
  return (uint64_t)config->blockDim.x * config->blockDim.y * config->blockDim.z;
}

cudaError_t gasan_call_occupancy_max_active_clusters(struct gasan_call *call, int *clusters, const void *function,
                                                     const cudaLaunchConfig_t *config) {
  const void *wide = config ? gasan_launch_proof_unproven(function, threads_of(config)) : NULL;
  return ASK(wide, GASAN_CALL_REAL(call, cudaOccupancyMaxActiveClusters)(clusters, wide, config),
             GASAN_CALL_REAL(call, cudaOccupancyMaxActiveClusters)(clusters, function, config));
}

cudaError_t gasan_call_occupancy_max_potential_cluster_size(struct gasan_call *call, int *size, const void *function,
                                                            const cudaLaunchConfig_t *config) {
  const void *wide = config ? gasan_launch_proof_unproven(function, threads_of(config)) : NULL;
  return ASK(wide, GASAN_CALL_REAL(call, cudaOccupancyMaxPotentialClusterSize)(size, wide, config),
             GASAN_CALL_REAL(call, cudaOccupancyMaxPotentialClusterSize)(size, function, config));
}
