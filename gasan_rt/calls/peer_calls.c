/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that give kernels of one device access to the memory of another. */
#include <string.h>

#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/peers.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* Returns the reason why these devices cannot be peers, or NULL. Handles and tags name table entries of the device that
 * has allocated the memory; kernels of another device would search their own device's tables. */
static const char *peer_obstacle(int ordinal) {
  struct gasan_rt_device *state = ordinal >= 0 && ordinal < GASAN_RT_DEVICES ? gasan_rt_device(ordinal) : NULL;
  if (gasan_rt_tags())
    return "-fsanitize-gpu-address-tags";
  return strcmp(gasan_options()->pool, "handles") == 0 || (state && state->pool && gasan_pool_moves(state->pool))
             ? "pool=handles"
             : NULL;
}

cudaError_t gasan_call_device_can_access_peer(struct gasan_call *call, int *can, int device, int peer) {
  gasan_rt_kind();
  cudaError_t error = GASAN_CALL_REAL(call, cudaDeviceCanAccessPeer)(can, device, peer);
  if (error == cudaSuccess && (peer_obstacle(device) || peer_obstacle(peer)))
    *can = 0;
  return error;
}

cudaError_t gasan_call_device_enable_peer_access(struct gasan_call *call, int peer, unsigned flags) {
  struct gasan_rt_device *state = gasan_rt_current();
  const char *why = peer_obstacle(peer);
  if (state && !why)
    why = peer_obstacle(state->device->ordinal);
  if (state && why) {
    gasan_rt_warn("cudaDeviceEnablePeerAccess(%d, %u) is refused: with %s, devices cannot use each other's memory",
                  peer, flags, why);
    return gasan_set_error(cudaErrorPeerAccessUnsupported);
  }
  cudaError_t error = GASAN_CALL_REAL(call, cudaDeviceEnablePeerAccess)(peer, flags);
  struct gasan_rt_device *owner = state && error == cudaSuccess ? gasan_rt_open(peer) : NULL;
  if (!owner || !owner->pool)
    return error;
  struct gasan_status status = gasan_pool_allow_peer(owner->pool, state->device->ordinal, true);
  if (gasan_ok(status)) {
    gasan_peers_set(state, peer, true);
    return cudaSuccess;
  }
  gasan_rt_warn("cudaDeviceEnablePeerAccess(%d, %u): device %d cannot access device %d's pool (%s, driver error %d)",
                peer, flags, state->device->ordinal, peer, gasan_status_text(status), status.driver_error);
  (void)GASAN_REAL(cudaDeviceDisablePeerAccess)(peer);
  return gasan_set_error(gasan_cuda_error(status));
}

cudaError_t gasan_call_device_disable_peer_access(struct gasan_call *call, int peer) {
  struct gasan_rt_device *state = gasan_rt_current();
  cudaError_t error = GASAN_CALL_REAL(call, cudaDeviceDisablePeerAccess)(peer);
  if (!state || error != cudaSuccess || !gasan_peers_reach(state, peer))
    return error;
  gasan_peers_set(state, peer, false);
  struct gasan_rt_device *owner = gasan_rt_device(peer);
  return gasan_cuda_error(gasan_pool_allow_peer(owner->pool, state->device->ordinal, false));
}
