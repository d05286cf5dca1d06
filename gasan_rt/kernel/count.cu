/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters for code that counts its checks (gasan_pass/instrument/Count.h). */
#include "gasan_rt/kernel/device_code.h"
#include "shadow/bounds.h"

GASAN_INLINE struct gasan_counters *gasan_counters(void) {
  return (struct gasan_counters *)__gasan_params.counters;
}

GASAN_INLINE void gasan_count(uint64_t *counter, uint32_t how_many) {
  __scoped_atomic_fetch_add(counter, (uint64_t)how_many, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

extern "C" {

GASAN_NOINLINE void __gasan_count_checks(uint32_t how_many) {
  if (gasan_counters())
    gasan_count(&gasan_counters()->checks, how_many);
}

GASAN_NOINLINE void __gasan_count_accesses(uint32_t how_many) {
  if (gasan_counters())
    gasan_count(&gasan_counters()->accesses, how_many);
}
}
