#include "gasan_rt/memory/peers.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define EXPORT __attribute__((visibility("default")))

static bool reaches(const struct gasan_rt_device *state, int ordinal) {
  return atomic_load(&state->reaches) >> ordinal & 1;
}

void gasan_peers_each(struct gasan_rt_device *state, void (*visit)(struct gasan_rt_device *owner, void *context), void *context) {
  if (!atomic_load(&state->reaches))
    return;
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *owner = reaches(state, i) ? gasan_rt_device(i) : NULL;
    if (owner)
      visit(owner, context);
  }
}

static void add_changes(struct gasan_rt_device *owner, void *context) {
  struct gasan_pool_counters counters;
  gasan_pool_counters(owner->pool, &counters);
  *(uint64_t *)context += counters.allocations + counters.frees;
}

uint64_t gasan_peers_generation(struct gasan_rt_device *state) {
  uint64_t generation = atomic_load(&state->reaches);
  gasan_peers_each(state, add_changes, &generation);
  return generation;
}

struct gasan_status gasan_peers_synchronize(struct gasan_rt_device *owner) {
  struct gasan_status result = gasan_status_make(GASAN_OK);
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *user = gasan_rt_device(i);
    if (!user || user == owner || !reaches(user, owner->device->ordinal))
      continue;
    struct gasan_status status = user->device->kind->synchronize(user->device);
    gasan_faults_collect(user, status.driver_error);
    if (gasan_ok(result))
      result = status;
  }
  return result;
}

/* Handles and tags name entries of the tables of the device whose pool gave them out; another device's kernels would look them up in
 * their own. Why these devices cannot be peers, or NULL. */
static const char *obstacle(int ordinal) {
  struct gasan_rt_device *state = ordinal >= 0 && ordinal < GASAN_RT_DEVICES ? gasan_rt_device(ordinal) : NULL;
  if (gasan_rt_tags())
    return "-fsanitize-gpu-address-tags";
  return strcmp(gasan_options()->pool, "handles") == 0 || (state && state->pool && gasan_pool_moves(state->pool)) ? "pool=handles" : NULL;
}

EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  gasan_rt_kind();
  cudaError_t error = GASAN_REAL(cudaDeviceCanAccessPeer)(can, device, peer);
  if (error == cudaSuccess && (obstacle(device) || obstacle(peer)))
    *can = 0;
  return error;
}

EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  struct gasan_rt_device *state = gasan_rt_current();
  const char *why = obstacle(peer);
  if (state && !why)
    why = obstacle(state->device->ordinal);
  if (state && why) {
    gasan_rt_warn("cudaDeviceEnablePeerAccess(%d, %u) is refused: with %s, devices cannot use each other's memory", peer, flags, why);
    return gasan_set_error(cudaErrorPeerAccessUnsupported);
  }
  cudaError_t error = GASAN_REAL(cudaDeviceEnablePeerAccess)(peer, flags);
  struct gasan_rt_device *owner = state && error == cudaSuccess ? gasan_rt_open(peer) : NULL;
  if (!owner || !owner->pool)
    return error;
  struct gasan_status status = gasan_pool_allow_peer(owner->pool, state->device->ordinal, true);
  if (gasan_ok(status)) {
    atomic_fetch_or(&state->reaches, 1ull << peer);
    return cudaSuccess;
  }
  gasan_rt_warn("cudaDeviceEnablePeerAccess(%d, %u): device %d does not get at device %d's pool (%s, driver error %d)", peer, flags,
                state->device->ordinal, peer, gasan_status_text(status), status.driver_error);
  (void)GASAN_REAL(cudaDeviceDisablePeerAccess)(peer);
  return gasan_set_error(gasan_rt_cuda_error(status));
}

EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  struct gasan_rt_device *state = gasan_rt_current();
  cudaError_t error = GASAN_REAL(cudaDeviceDisablePeerAccess)(peer);
  if (!state || error != cudaSuccess || !reaches(state, peer))
    return error;
  atomic_fetch_and(&state->reaches, ~(1ull << peer));
  struct gasan_rt_device *owner = gasan_rt_device(peer);
  return gasan_rt_cuda_error(gasan_pool_allow_peer(owner->pool, state->device->ordinal, false));
}
