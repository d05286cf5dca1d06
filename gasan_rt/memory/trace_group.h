/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packs the records of a launch (base/trace_format.h) for the file. Pure functions; any thread; no locks. */
#ifndef GASAN_RT_TRACE_GROUP_H
#define GASAN_RT_TRACE_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/trace_format.h"

/* Packed words, to be freed. */
struct gasan_trace_words {
  uint64_t *words;
  uint64_t count;
  bool complete; /* false: out of memory */
};

/* Returns the records in the order of the buffer, with affine addresses. `words` ends at the first unwritten record. */
struct gasan_trace_words gasan_trace_pack(const uint64_t *words, uint64_t count);

/* The same for records of single lanes (CPU device), which it joins into records of warps. The n-th record of each lane
 * of a warp with one site and type becomes part of the n-th record of the warp with that site and type. The order is
 * that of each record's first lane. */
struct gasan_trace_words gasan_trace_join(const uint64_t *words, uint64_t count);

#endif
