/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that set attributes of kernels, or that return handles by which the program can launch kernels through calls
 * that we do not intercept. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/launch_proof.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/memory/upload.h"

cudaError_t gasan_call_func_set_attribute(struct gasan_call *call, const void *function,
                                          enum cudaFuncAttribute attribute, int value) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaFuncSetAttribute)(function, attribute, value);
  if (error == cudaSuccess)
    gasan_launch_proof_mirror(function, attribute, value);
  return error;
}

/* Sets the carveout in the old way. Unlike the new call, this one accepts host functions only. */
cudaError_t gasan_call_func_set_cache_config(struct gasan_call *call, const void *function, enum cudaFuncCache config) {
  static const int carveouts[] = {[cudaFuncCachePreferNone] = cudaSharedmemCarveoutDefault,
                                  [cudaFuncCachePreferShared] = cudaSharedmemCarveoutMaxShared,
                                  [cudaFuncCachePreferL1] = cudaSharedmemCarveoutMaxL1,
                                  [cudaFuncCachePreferEqual] = 50};
  cudaError_t error = GASAN_CALL_REAL(call, cudaFuncSetCacheConfig)(function, config);
  if (error == cudaSuccess && (unsigned)config < sizeof carveouts / sizeof *carveouts)
    gasan_launch_proof_mirror(function, cudaFuncAttributePreferredSharedMemoryCarveout, carveouts[config]);
  return error;
}

static void upload_device(struct gasan_rt_device *state) {
  /* Launches by the handle cannot be refused. */
  (void)gasan_upload(state);
}

/* Prepares for launches by a handle that the program gets. The handle also works with the driver API, so such launches
 * are not intercepted. */
static void hand_out(const void *symbol) {
  gasan_upload_launches_unseen();
  gasan_rt_each_device(upload_device);
  gasan_launch_proof_hand_out(symbol);
}

cudaError_t gasan_call_get_func_by_symbol(struct gasan_call *call, cudaFunction_t *function, const void *symbol) {
  hand_out(symbol);
  return GASAN_CALL_REAL(call, cudaGetFuncBySymbol)(function, symbol);
}

cudaError_t gasan_call_get_kernel(struct gasan_call *call, cudaKernel_t *kernel, const void *symbol) {
  hand_out(symbol);
  return GASAN_CALL_REAL(call, cudaGetKernel)(kernel, symbol);
}

/* nvcc's stubs get a handle once, and launch the kernel by it from then on. The handle of a registered kernel is its
 * host function, so such a launch is like any other (gasan_call_launch_kernel_handle). */
cudaError_t gasan_call_get_own_kernel(struct gasan_call *call, cudaKernel_t *kernel, const void *symbol) {
  if (!kernel || !gasan_registry_kernel(symbol))
    return GASAN_CALL_REAL(call, cudaGetKernel)(kernel, symbol);
  *kernel = (cudaKernel_t)(uintptr_t)symbol;
  return cudaSuccess;
}
