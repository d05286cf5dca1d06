/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and sets memory that belongs to a device that is not current. Any thread; no lock.
 *
 * For memory from cudaMalloc, CUDA finds the device itself. The pool's memory is mapped memory: CUDA copies it only if
 * the *current* device has access, whatever the stream's device is, and else returns cudaErrorInvalidValue (seen on two
 * H200s with driver 580). So this module makes the owner current around the call, and turns a copy between the pools of
 * two devices into a peer copy. */
#ifndef GASAN_RT_OTHER_DEVICE_H
#define GASAN_RT_OTHER_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* Makes the device that owns `to`, or else `from`, current. Memory outside the pools has no owner. Returns the value
 * for gasan_other_device_leave. */
int gasan_other_device_enter(const void *to, const void *from);
void gasan_other_device_leave(int before);

/* Evaluates the call with the owner current. */
#define GASAN_NEAR(to, from, call)                                                                                     \
  ({                                                                                                                   \
    int before_ = gasan_other_device_enter(to, from);                                                                  \
    cudaError_t error_ = (call);                                                                                       \
    gasan_other_device_leave(before_);                                                                                 \
    error_;                                                                                                            \
  })

/* Returns true if the pointers are in the pools of two devices; then sets *to_device and *from_device. */
bool gasan_other_device_between(const void *to, const void *from, int *to_device, int *from_device);

/* Return true if a copy of rows or of a box goes between the pools of two devices; then set *peer to the same copy as a
 * peer copy. */
bool gasan_other_device_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, struct cudaMemcpy3DPeerParms *peer);
bool gasan_other_device_box(const struct cudaMemcpy3DParms *parameters, struct cudaMemcpy3DPeerParms *peer);

#endif
