/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that launch kernels and graphs. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/graph_launch.h"
#include "gasan_rt/launch/launch.h"
#include "gasan_rt/launch/registry.h"

#define SHAPE(dim) ((uint32_t[]){(dim).x, (dim).y, (dim).z})

/* The arguments of cudaLaunchKernel and its relatives. */
struct plain_launch {
  __typeof__(&cudaLaunchKernel) real;
  struct dim3 grid, block;
  size_t shared;
};

static cudaError_t make_plain(const struct gasan_launch_call *call, const void *function, void **arguments) {
  const struct plain_launch *launch = call->context;
  return launch->real(function, launch->grid, launch->block, arguments, launch->shared, call->stream);
}

/* `plain`: the call has no attributes. */
static inline cudaError_t launch_kernel(struct gasan_call *call, const void *function, struct dim3 grid,
                                        struct dim3 block, void **arguments, size_t shared, cudaStream_t stream,
                                        bool plain) {
  struct plain_launch launch = {GASAN_CALL_REAL(call, cudaLaunchKernel), grid, block, shared};
  struct gasan_launch_call made = {
      .api = call->api,
      .function = function,
      .shape = {&launch.grid.x, &launch.block.x, shared, arguments, gasan_call_stream(call, stream), false},
      .stream = stream,
      .plain = plain,
      .make = make_plain,
      .context = &launch};
  return gasan_launch_make(&made);
}

cudaError_t gasan_call_launch_kernel(struct gasan_call *call, const void *function, struct dim3 grid, struct dim3 block,
                                     void **arguments, size_t shared, cudaStream_t stream) {
  return launch_kernel(call, function, grid, block, arguments, shared, stream, true);
}

cudaError_t gasan_call_launch_cooperative_kernel(struct gasan_call *call, const void *function, struct dim3 grid,
                                                 struct dim3 block, void **arguments, size_t shared,
                                                 cudaStream_t stream) {
  return launch_kernel(call, function, grid, block, arguments, shared, stream, false);
}

/* The arguments of cudaLaunchKernelExC. */
struct config_launch {
  __typeof__(&cudaLaunchKernelExC) real;
  const cudaLaunchConfig_t *config;
};

static cudaError_t make_config(const struct gasan_launch_call *call, const void *function, void **arguments) {
  const struct config_launch *launch = call->context;
  return launch->real(launch->config, function, arguments);
}

/* CUDA refuses a launch without a configuration. */
cudaError_t gasan_call_launch_kernel_ex_c(struct gasan_call *call, const cudaLaunchConfig_t *config,
                                          const void *function, void **arguments) {
  struct config_launch launch = {GASAN_CALL_REAL(call, cudaLaunchKernelExC), config};
  if (!config)
    return launch.real(config, function, arguments);
  struct gasan_launch_shape shape = {SHAPE(config->gridDim),
                                     SHAPE(config->blockDim),
                                     config->dynamicSmemBytes,
                                     arguments,
                                     gasan_call_stream(call, config->stream),
                                     false};
  return gasan_launch_make(&(struct gasan_launch_call){call->api, function, shape, config->stream, false, make_config,
                                                       &launch, NULL, false});
}

/* The arguments of a launch by a kernel handle that gasan has not given out. The kernel has no checks, but code that it
 * calls may have, so the shadow must be up to date. */
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

cudaError_t gasan_call_launch_kernel_handle(struct gasan_call *call, cudaKernel_t kernel, struct dim3 grid,
                                            struct dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  static struct gasan_call legacy = {.api = "cudaLaunchKernel", .default_stream = GASAN_STREAM_LEGACY},
                           thread = {.api = "cudaLaunchKernel_ptsz", .default_stream = GASAN_STREAM_THREAD};
  if (gasan_registry_kernel(kernel)) /* the handle is of gasan_call_get_own_kernel */
    return launch_kernel(call->default_stream == GASAN_STREAM_THREAD ? &thread : &legacy, kernel, grid, block,
                         arguments, shared, stream, true);
  struct handle_launch launch = {
      .kernel = kernel, .grid = grid, .block = block, .arguments = arguments, .shared = shared};
  launch.real = (__typeof__(launch.real))gasan_call_target(call);
  struct gasan_launch_shape shape = {SHAPE(grid), SHAPE(block), 0, NULL, gasan_call_stream(call, stream), false};
  return gasan_launch_make(
      &(struct gasan_launch_call){call->api, NULL, shape, stream, false, make_handle, &launch, NULL, false});
}

cudaError_t gasan_call_graph_launch(struct gasan_call *call, cudaGraphExec_t exec, cudaStream_t stream) {
  return gasan_graph_launch_make(GASAN_CALL_REAL(call, cudaGraphLaunch), exec, stream, gasan_call_stream(call, stream),
                                 call->api);
}
