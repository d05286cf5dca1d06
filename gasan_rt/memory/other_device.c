/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/other_device.h"

#include "gasan_rt/core/runtime.h"

static int owner_of(const void *pointer) {
  struct gasan_rt_device *state = pointer ? gasan_rt_owner(pointer) : NULL;
  return state ? state->device->ordinal : -1;
}

int gasan_other_device_enter(const void *to, const void *from) {
  int owner = owner_of(to), before;
  if (owner < 0)
    owner = owner_of(from);
  if (owner < 0 || GASAN_REAL(cudaGetDevice)(&before) != cudaSuccess || before == owner)
    return -1;
  return GASAN_REAL(cudaSetDevice)(owner) == cudaSuccess ? before : -1;
}

void gasan_other_device_leave(int before) {
  if (before >= 0)
    GASAN_REAL(cudaSetDevice)(before);
}

bool gasan_other_device_between(const void *to, const void *from, int *to_device, int *from_device) {
  *to_device = owner_of(to);
  *from_device = owner_of(from);
  return *to_device >= 0 && *from_device >= 0 && *to_device != *from_device;
}

bool gasan_other_device_box(const struct cudaMemcpy3DParms *parameters, struct cudaMemcpy3DPeerParms *peer) {
  *peer = (struct cudaMemcpy3DPeerParms){0};
  if (!parameters || parameters->srcArray || parameters->dstArray ||
      !gasan_other_device_between(parameters->dstPtr.ptr, parameters->srcPtr.ptr, &peer->dstDevice, &peer->srcDevice))
    return false;
  peer->srcPos = parameters->srcPos;
  peer->srcPtr = parameters->srcPtr;
  peer->dstPos = parameters->dstPos;
  peer->dstPtr = parameters->dstPtr;
  peer->extent = parameters->extent;
  return true;
}

bool gasan_other_device_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, struct cudaMemcpy3DPeerParms *peer) {
  struct cudaMemcpy3DParms parameters = {0};
  parameters.srcPtr = (struct cudaPitchedPtr){(void *)from, from_pitch, width, height};
  parameters.dstPtr = (struct cudaPitchedPtr){to, to_pitch, width, height};
  parameters.extent = (struct cudaExtent){width, height, 1};
  return gasan_other_device_box(&parameters, peer);
}
