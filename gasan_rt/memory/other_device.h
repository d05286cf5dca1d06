/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and sets of memory that belongs to another device than the current one. For memory from cudaMalloc CUDA looks
 * up the device itself. The pool's memory is mapped memory, which it only touches if the *current* device has access
 * (cudaErrorInvalidValue else, measured on two H200s with driver 580; whose stream it is makes no difference). So the
 * owner is made current around the call, and a copy from one device's pool to another's becomes a peer copy. Any
 * thread. */
#ifndef GASAN_RT_OTHER_DEVICE_H
#define GASAN_RT_OTHER_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* Makes the owner of `to`, or else of `from`, current; memory that is in no pool has none. What is to be given to
 * gasan_other_device_leave. */
int gasan_other_device_enter(const void *to, const void *from);
void gasan_other_device_leave(int before);

/* The value of the call, made with the owner current. */
#define GASAN_NEAR(to, from, call)                                                                                     \
  ({                                                                                                                   \
    int before_ = gasan_other_device_enter(to, from);                                                                  \
    cudaError_t error_ = (call);                                                                                       \
    gasan_other_device_leave(before_);                                                                                 \
    error_;                                                                                                            \
  })

/* Are they in two devices' pools, and whose? */
bool gasan_other_device_between(const void *to, const void *from, int *to_device, int *from_device);

/* True if a copy of rows or of a box is one from one device's pool to another's: then *peer says the same. */
bool gasan_other_device_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, struct cudaMemcpy3DPeerParms *peer);
bool gasan_other_device_box(const struct cudaMemcpy3DParms *parameters, struct cudaMemcpy3DPeerParms *peer);

#endif
