/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Performs the last step of each free of pool memory. Any thread; no lock of its own. */
#ifndef GASAN_RT_RELEASE_H
#define GASAN_RT_RELEASE_H

#include <driver_types.h>

#include "pool/pool.h"

struct gasan_rt_device;

/* Frees the chunk that begins at the address. No kernel may still be able to use the chunk. Reports an address that is
 * not a chunk's start. */
cudaError_t gasan_memory_release(struct gasan_rt_device *owner, struct gasan_pool_caller caller, uint64_t address);

#endif
