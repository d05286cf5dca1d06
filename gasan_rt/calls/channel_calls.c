/* A constructor that no device is needed for. */
#include <cuda_runtime_api.h>

#include "gasan_rt/calls/export.h"

/* It returns a struct, so it cannot be refused as the other calls are. */
EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
  return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
