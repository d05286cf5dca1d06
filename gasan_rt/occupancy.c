/* How many blocks fit on a multiprocessor: of what a launch with so many threads a block runs. That is the kernel's
 * wide variant where it fits, else the kernel itself, which takes fewer registers (driver/registers.h). A variant for
 * proven launches may need other registers; a cooperative launch for which they are too many runs the kernel itself. */
#include <cuda_runtime_api.h>

#include "gasan_rt/errors.h"
#include "gasan_rt/fast.h"
#include "gasan_rt/runtime.h"

#define EXPORT __attribute__((visibility("default")))

static bool answers(cudaError_t error, cudaError_t waiting) {
  if (error != cudaSuccess)
    gasan_forget_error(waiting);
  return error == cudaSuccess;
}

/* The question for the variant, if there is one and CUDA answers it; else for the kernel itself, so that errors are the
 * program's. */
#define ASK(wide, ask_variant, ask_kernel)                                                                             \
  ({                                                                                                                   \
    cudaError_t waiting_ = wide ? gasan_waiting_error() : cudaSuccess;                                                 \
    wide &&answers((ask_variant), waiting_) ? cudaSuccess : (ask_kernel);                                              \
  })

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                                 size_t shared) {
  const void *wide = threads > 0 ? gasan_fast_wide(function, (uint64_t)threads) : NULL;
  return ASK(wide, GASAN_REAL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(blocks, wide, threads, shared),
             GASAN_REAL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(blocks, function, threads, shared));
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                          int threads, size_t shared, unsigned flags) {
  const void *wide = threads > 0 ? gasan_fast_wide(function, (uint64_t)threads) : NULL;
  return ASK(
      wide, GASAN_REAL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(blocks, wide, threads, shared, flags),
      GASAN_REAL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(blocks, function, threads, shared, flags));
}

static uint64_t threads_of(const cudaLaunchConfig_t *config) {
  return (uint64_t)config->blockDim.x * config->blockDim.y * config->blockDim.z;
}

EXPORT cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                                  const cudaLaunchConfig_t *config) {
  const void *wide = config ? gasan_fast_wide(function, threads_of(config)) : NULL;
  return ASK(wide, GASAN_REAL(cudaOccupancyMaxActiveClusters)(clusters, wide, config),
             GASAN_REAL(cudaOccupancyMaxActiveClusters)(clusters, function, config));
}

EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                        const cudaLaunchConfig_t *config) {
  const void *wide = config ? gasan_fast_wide(function, threads_of(config)) : NULL;
  return ASK(wide, GASAN_REAL(cudaOccupancyMaxPotentialClusterSize)(size, wide, config),
             GASAN_REAL(cudaOccupancyMaxPotentialClusterSize)(size, function, config));
}
