/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches of kernels and graphs. */
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/door/kernel_names.h"
#include "gasan_rt/door/loaded_kernels.h"
#include "gasan_rt/launch/graph_launch.h"
#include "gasan_rt/launch/launch.h"
#include "gasan_rt/launch/launch_proof.h"

/* The arguments of one launch. */
struct door_launch {
  struct gasan_driver_call *call;
  CUfunction function;
  const uint32_t *grid, *block;
  unsigned shared;
  CUstream stream;
  void **arguments, **extra;
  const CUlaunchConfig *config;
};

/* `function` is the kernel, or a variant of it with `passed`. NULL: no kernel with checks. */
static CUfunction function_of(const struct door_launch *l, const void *function) {
  return function ? (CUfunction)(uintptr_t)function : l->function;
}

static cudaError_t make_plain(const struct gasan_launch_call *made, const void *function, void **passed) {
  const struct door_launch *l = made->context;
  return (cudaError_t)GASAN_DRIVER_REAL(l->call, cuLaunchKernel)(function_of(l, function), l->grid[0], l->grid[1],
                                                                 l->grid[2], l->block[0], l->block[1], l->block[2],
                                                                 l->shared, l->stream, passed, l->extra);
}

static cudaError_t make_cooperative(const struct gasan_launch_call *made, const void *function, void **passed) {
  const struct door_launch *l = made->context;
  return (cudaError_t)GASAN_DRIVER_REAL(l->call, cuLaunchCooperativeKernel)(
      function_of(l, function), l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->shared,
      l->stream, passed);
}

static cudaError_t make_config(const struct gasan_launch_call *made, const void *function, void **passed) {
  const struct door_launch *l = made->context;
  return (cudaError_t)GASAN_DRIVER_REAL(l->call, cuLaunchKernelEx)(l->config, function_of(l, function), passed,
                                                                   l->extra);
}

static CUresult launch(const struct door_launch *l,
                       cudaError_t (*make)(const struct gasan_launch_call *, const void *, void **)) {
  struct gasan_launch_shape shape = {
      l->grid, l->block, l->shared, l->arguments, gasan_driver_call_stream(l->call, l->stream), false};
  const bool checked = gasan_loaded_kernel_is_checked(l->function);
  return (CUresult)gasan_launch_make(&(struct gasan_launch_call){.api = l->call->api,
                                                                 .function = checked ? l->function : NULL,
                                                                 .name = gasan_kernel_name(l->function),
                                                                 .hides_values = !l->arguments,
                                                                 .shape = shape,
                                                                 .stream = l->stream,
                                                                 .make = make,
                                                                 .context = l});
}

CUresult gasan_door_call_launch_kernel(struct gasan_driver_call *call, CUfunction function, unsigned grid_x,
                                       unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                                       unsigned block_z, unsigned shared, CUstream stream, void **arguments,
                                       void **extra) {
  const uint32_t grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
  return launch(&(struct door_launch){call, function, grid, block, shared, stream, arguments, extra, NULL}, make_plain);
}

CUresult gasan_door_call_launch_cooperative_kernel(struct gasan_driver_call *call, CUfunction function, unsigned grid_x,
                                                   unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                                                   unsigned block_z, unsigned shared, CUstream stream,
                                                   void **arguments) {
  const uint32_t grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
  return launch(&(struct door_launch){call, function, grid, block, shared, stream, arguments, NULL, NULL},
                make_cooperative);
}

/* CUDA refuses a launch without a configuration. */
CUresult gasan_door_call_launch_kernel_ex(struct gasan_driver_call *call, const CUlaunchConfig *config,
                                          CUfunction function, void **arguments, void **extra) {
  if (!config)
    return GASAN_DRIVER_REAL(call, cuLaunchKernelEx)(config, function, arguments, extra);
  const uint32_t grid[3] = {config->gridDimX, config->gridDimY, config->gridDimZ},
                 block[3] = {config->blockDimX, config->blockDimY, config->blockDimZ};
  return launch(&(struct door_launch){call, function, grid, block, config->sharedMemBytes, config->hStream, arguments,
                                      extra, config},
                make_config);
}

/* The variants of a kernel must have its attributes, for example its most dynamic shared memory. */
CUresult gasan_door_call_func_set_attribute(struct gasan_driver_call *call, CUfunction function,
                                            CUfunction_attribute attribute, int value) {
  CUresult result = GASAN_DRIVER_REAL(call, cuFuncSetAttribute)(function, attribute, value);
  if (result == CUDA_SUCCESS && gasan_loaded_kernel_is_checked(function))
    gasan_launch_proof_mirror(function, (enum cudaFuncAttribute)attribute, value);
  return result;
}

CUresult gasan_door_call_graph_launch(struct gasan_driver_call *call, CUgraphExec exec, CUstream stream) {
  return (CUresult)gasan_graph_launch_make((gasan_graph_launch_function)gasan_driver_call_target(call), exec, stream,
                                           gasan_driver_call_stream(call, stream), call->api);
}
