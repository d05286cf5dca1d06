/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Access of one device to the memory of another. Mapped memory needs a permission of its own. */
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/memory/peers.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* Returns the ordinal of a context's device; -1: the context is not valid. */
static int ordinal_of(CUcontext context) {
  static struct gasan_driver_call push = {.symbol = "cuCtxPushCurrent_v2"}, get = {.symbol = "cuCtxGetDevice"},
                                  pop = {.symbol = "cuCtxPopCurrent_v2"};
  CUdevice device = -1;
  CUcontext same;
  if (GASAN_DRIVER_REAL(&push, cuCtxPushCurrent_v2)(context) != CUDA_SUCCESS)
    return -1;
  GASAN_DRIVER_REAL(&get, cuCtxGetDevice)(&device);
  GASAN_DRIVER_REAL(&pop, cuCtxPopCurrent_v2)(&same);
  return device;
}

CUresult gasan_door_call_ctx_enable_peer_access(struct gasan_driver_call *call, CUcontext peer, unsigned flags) {
  CUresult result = GASAN_DRIVER_REAL(call, cuCtxEnablePeerAccess)(peer, flags);
  struct gasan_rt_device *state = gasan_rt_current();
  const int ordinal = result == CUDA_SUCCESS && state ? ordinal_of(peer) : -1;
  struct gasan_rt_device *owner = ordinal >= 0 ? gasan_rt_open(ordinal) : NULL;
  if (!owner || !owner->pool)
    return result;
  struct gasan_status status = gasan_pool_allow_peer(owner->pool, state->device->ordinal, true);
  if (gasan_ok(status)) {
    gasan_peers_set(state, ordinal, true);
    return CUDA_SUCCESS;
  }
  gasan_rt_warn("cuCtxEnablePeerAccess: device %d cannot access device %d's pool (%s, driver error %d)",
                state->device->ordinal, ordinal, gasan_status_text(status), status.driver_error);
  static struct gasan_driver_call disable = {.symbol = "cuCtxDisablePeerAccess"};
  (void)GASAN_DRIVER_REAL(&disable, cuCtxDisablePeerAccess)(peer);
  return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult gasan_door_call_ctx_disable_peer_access(struct gasan_driver_call *call, CUcontext peer) {
  CUresult result = GASAN_DRIVER_REAL(call, cuCtxDisablePeerAccess)(peer);
  struct gasan_rt_device *state = gasan_rt_current();
  const int ordinal = result == CUDA_SUCCESS && state ? ordinal_of(peer) : -1;
  struct gasan_rt_device *owner = ordinal >= 0 ? gasan_rt_device(ordinal) : NULL;
  if (!owner || !owner->pool || !gasan_peers_reach(state, ordinal))
    return result;
  gasan_peers_set(state, ordinal, false);
  (void)gasan_pool_allow_peer(owner->pool, state->device->ordinal, false);
  return result;
}
