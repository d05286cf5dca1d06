/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A constructor that no device is needed for. */
#include "gasan_rt/calls/calls.h"

/* It returns a struct, so it cannot be refused as the other calls are. */
struct cudaChannelFormatDesc gasan_call_create_channel_desc(struct gasan_call *call, int x, int y, int z, int w,
                                                            enum cudaChannelFormatKind f) {
  return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
