/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports writes of code without checks, by the canaries that they damaged. Any thread. */
#ifndef GASAN_RT_REPORT_CANARY_H
#define GASAN_RT_REPORT_CANARY_H

#include "gasan_rt/report/report_suspects.h"
#include "pool/pool.h"

struct gasan_rt_device;

enum gasan_canary_finder {
  GASAN_CANARY_FOUND_BY_CHECK,
  GASAN_CANARY_FOUND_BY_GUARD,
  GASAN_CANARY_FOUND_AT_FREE,
  GASAN_CANARY_FOUND_AT_END,
};

/* `size` bytes from `address` on, beside the chunk, were written. */
struct gasan_canary_report {
  const struct gasan_chunk *chunk;
  uint64_t address, size;
  enum gasan_canary_finder finder;
  const char *others;                     /* other code that may have written them, "host code"; NULL: there is none */
  const struct gasan_pool_caller *caller; /* FOUND_AT_FREE: of the free */
};

/* Reports the damage, with the launches that may have done it and the number of `others`; count and others 0: none is
 * known. Sorts `suspects`. Prints nothing if all suspects, or the allocation, are suppressed. */
void gasan_report_canary(struct gasan_rt_device *state, const struct gasan_canary_report *found,
                         struct gasan_report_suspect *suspects, uint32_t count, uint64_t others);

#endif
