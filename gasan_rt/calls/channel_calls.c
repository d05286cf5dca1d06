/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cudaCreateChannelDesc, which needs no device. */
#include "gasan_rt/calls/calls.h"

/* This function returns a struct, so the stand-in for missing functions cannot replace it. */
struct cudaChannelFormatDesc gasan_call_create_channel_desc(struct gasan_call *call, int x, int y, int z, int w,
                                                            enum cudaChannelFormatKind f) {
  return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
