/* Calls whose answer is ours: peer access, which pool memory does not have, and a constructor that no device is needed
 * for. */
#include <cuda_runtime_api.h>

#include "gasan_rt/errors.h"
#include "gasan_rt/runtime.h"

#define EXPORT __attribute__((visibility("default")))

/* It returns a struct, so it cannot be refused as the other calls are. */
EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
  return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* The pool maps its memory for its own device only: a program that is told so copies instead, as on machines without
 * peer access. */
EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  cudaError_t error = GASAN_REAL(cudaDeviceCanAccessPeer)(can, device, peer);
  if (error == cudaSuccess)
    *can = 0;
  return error;
}

EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  gasan_rt_warn("cudaDeviceEnablePeerAccess(%d, %u) is refused: memory in the pool cannot be accessed by other GPUs yet",
                peer, flags);
  return gasan_set_error(cudaErrorPeerAccessUnsupported);
}
