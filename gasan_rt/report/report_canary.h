/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports writes of code without checks, by the canaries that they damaged. Any thread. */
#ifndef GASAN_RT_REPORT_CANARY_H
#define GASAN_RT_REPORT_CANARY_H

#include "pool/pool.h"

struct gasan_rt_device;

/* Reports that `size` bytes from `address` on, beside the chunk, were written. `caller`: the free that found this out;
 * NULL: the end of the process did. */
void gasan_report_canary(struct gasan_rt_device *state, const struct gasan_chunk *chunk, uint64_t address,
                         uint64_t size, const struct gasan_pool_caller *caller);

#endif
