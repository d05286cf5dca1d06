/* Calls that launch kernels and graphs. */
#include <cuda_runtime_api.h>

#include "gasan_rt/calls/export.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/graph_launch.h"
#include "gasan_rt/launch/launch.h"
#include "gasan_rt/memory/allocation_stream.h"

#define SHAPE(dim) ((uint32_t[]){(dim).x, (dim).y, (dim).z})

/* What cudaLaunchKernel and its kin are given. */
struct plain_launch {
  __typeof__(&cudaLaunchKernel) real;
  struct dim3 grid, block;
  size_t shared;
};

static cudaError_t make_plain(const struct gasan_launch_call *call, const void *function, void **arguments) {
  const struct plain_launch *launch = call->context;
  return launch->real(function, launch->grid, launch->block, arguments, launch->shared, call->stream);
}

/* `simply`: nothing but a kernel and its shape is asked for. */
#define LAUNCH(name, as_called, simply)                                                                                \
  EXPORT cudaError_t name(const void *function, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,  \
                          cudaStream_t stream);                                                                        \
  EXPORT cudaError_t name(const void *function, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,  \
                          cudaStream_t stream) {                                                                       \
    struct plain_launch launch = {GASAN_REAL(name), grid, block, shared};                                              \
    return gasan_launch_make(                                                                                          \
        &(struct gasan_launch_call){#name,                                                                             \
                                    function,                                                                          \
                                    {SHAPE(grid), SHAPE(block), shared, arguments, as_called(stream), false},          \
                                    stream,                                                                            \
                                    simply,                                                                            \
                                    make_plain,                                                                        \
                                    &launch});                                                                         \
  }
LAUNCH(cudaLaunchKernel, GASAN_AS_CALLED, true)
LAUNCH(cudaLaunchKernel_ptsz, GASAN_AS_CALLED_ptsz, true)
LAUNCH(cudaLaunchCooperativeKernel, GASAN_AS_CALLED, false)
LAUNCH(cudaLaunchCooperativeKernel_ptsz, GASAN_AS_CALLED_ptsz, false)

/* What cudaLaunchKernelExC is given. */
struct config_launch {
  __typeof__(&cudaLaunchKernelExC) real;
  const cudaLaunchConfig_t *config;
};

static cudaError_t make_config(const struct gasan_launch_call *call, const void *function, void **arguments) {
  const struct config_launch *launch = call->context;
  return launch->real(launch->config, function, arguments);
}

/* CUDA refuses a launch without a configuration. */
#define LAUNCH_EX(name, as_called)                                                                                     \
  EXPORT cudaError_t name(const cudaLaunchConfig_t *config, const void *function, void **arguments);                   \
  EXPORT cudaError_t name(const cudaLaunchConfig_t *config, const void *function, void **arguments) {                  \
    struct config_launch launch = {GASAN_REAL(name), config};                                                          \
    if (!config)                                                                                                       \
      return launch.real(config, function, arguments);                                                                 \
    return gasan_launch_make(                                                                                          \
        &(struct gasan_launch_call){#name,                                                                             \
                                    function,                                                                          \
                                    {SHAPE(config->gridDim), SHAPE(config->blockDim), config->dynamicSmemBytes,        \
                                     arguments, as_called(config->stream), false},                                     \
                                    config->stream,                                                                    \
                                    false,                                                                             \
                                    make_config,                                                                       \
                                    &launch});                                                                         \
  }
LAUNCH_EX(cudaLaunchKernelExC, GASAN_AS_CALLED)
LAUNCH_EX(cudaLaunchKernelExC_ptsz, GASAN_AS_CALLED_ptsz)

/* nvcc's stubs launch by a kernel handle; its objects carry no checks, but the shadow must be up to date for what they
 * call. */
struct handle_launch {
  cudaError_t (*real)(cudaKernel_t kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,
                      cudaStream_t stream);
  cudaKernel_t kernel;
  struct dim3 grid, block;
  void **arguments;
  size_t shared;
};

static cudaError_t make_handle(const struct gasan_launch_call *call, const void *function, void **arguments) {
  const struct handle_launch *launch = call->context;
  (void)function;
  (void)arguments;
  return launch->real(launch->kernel, launch->grid, launch->block, launch->arguments, launch->shared, call->stream);
}

#define LAUNCH_HANDLE(name, as_called)                                                                                 \
  EXPORT cudaError_t name(cudaKernel_t kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,   \
                          cudaStream_t stream);                                                                        \
  EXPORT cudaError_t name(cudaKernel_t kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,   \
                          cudaStream_t stream) {                                                                       \
    struct handle_launch launch = {GASAN_REAL(name), kernel, grid, block, arguments, shared};                          \
    return gasan_launch_make(                                                                                          \
        &(struct gasan_launch_call){#name,                                                                             \
                                    NULL,                                                                              \
                                    {SHAPE(grid), SHAPE(block), 0, NULL, as_called(stream), false},                    \
                                    stream,                                                                            \
                                    false,                                                                             \
                                    make_handle,                                                                       \
                                    &launch});                                                                         \
  }
LAUNCH_HANDLE(__cudaLaunchKernel, GASAN_AS_CALLED)
LAUNCH_HANDLE(__cudaLaunchKernel_ptsz, GASAN_AS_CALLED_ptsz)

#define GRAPH_LAUNCH(name, as_called)                                                                                  \
  EXPORT cudaError_t name(cudaGraphExec_t exec, cudaStream_t stream);                                                  \
  EXPORT cudaError_t name(cudaGraphExec_t exec, cudaStream_t stream) {                                                 \
    return gasan_graph_launch_make(GASAN_REAL(name), exec, stream, as_called(stream), #name);                          \
  }
GRAPH_LAUNCH(cudaGraphLaunch, GASAN_AS_CALLED)
GRAPH_LAUNCH(cudaGraphLaunch_ptsz, GASAN_AS_CALLED_ptsz)
