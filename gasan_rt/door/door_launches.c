/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches of kernels and graphs, and unloading of kernels. */
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/door/kernel_names.h"
#include "gasan_rt/launch/graph_launch.h"
#include "gasan_rt/launch/launch.h"

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

static cudaError_t make_plain(const struct gasan_launch_call *made, const void *unused, void **none) {
  const struct door_launch *l = made->context;
  (void)unused;
  (void)none;
  return (cudaError_t)GASAN_DRIVER_REAL(l->call, cuLaunchKernel)(l->function, l->grid[0], l->grid[1], l->grid[2],
                                                                 l->block[0], l->block[1], l->block[2], l->shared,
                                                                 l->stream, l->arguments, l->extra);
}

static cudaError_t make_cooperative(const struct gasan_launch_call *made, const void *unused, void **none) {
  const struct door_launch *l = made->context;
  (void)unused;
  (void)none;
  return (cudaError_t)GASAN_DRIVER_REAL(l->call, cuLaunchCooperativeKernel)(
      l->function, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->shared, l->stream,
      l->arguments);
}

static cudaError_t make_config(const struct gasan_launch_call *made, const void *unused, void **none) {
  const struct door_launch *l = made->context;
  (void)unused;
  (void)none;
  return (cudaError_t)GASAN_DRIVER_REAL(l->call, cuLaunchKernelEx)(l->config, l->function, l->arguments, l->extra);
}

static CUresult launch(const struct door_launch *l,
                       cudaError_t (*make)(const struct gasan_launch_call *, const void *, void **)) {
  struct gasan_launch_shape shape = {l->grid, l->block, l->shared, NULL, gasan_driver_call_stream(l->call, l->stream),
                                     false};
  return (CUresult)gasan_launch_make(&(struct gasan_launch_call){.api = l->call->api,
                                                                 .name = gasan_kernel_name(l->function),
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

CUresult gasan_door_call_graph_launch(struct gasan_driver_call *call, CUgraphExec exec, CUstream stream) {
  return (CUresult)gasan_graph_launch_make((gasan_graph_launch_function)gasan_driver_call_target(call), exec, stream,
                                           gasan_driver_call_stream(call, stream), call->api);
}

CUresult gasan_door_call_library_unload(struct gasan_driver_call *call, CUlibrary library) {
  CUresult result = GASAN_DRIVER_REAL(call, cuLibraryUnload)(library);
  gasan_kernel_names_changed();
  return result;
}

CUresult gasan_door_call_module_unload(struct gasan_driver_call *call, CUmodule module) {
  CUresult result = GASAN_DRIVER_REAL(call, cuModuleUnload)(module);
  gasan_kernel_names_changed();
  return result;
}
