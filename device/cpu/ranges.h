/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A set of disjoint address ranges, each with a tag: what the device knows of its memory, streams and events. Any
 * thread. */
#ifndef GASAN_DEVICE_CPU_RANGES_H
#define GASAN_DEVICE_CPU_RANGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gasan_cpu_range {
  uintptr_t base;
  size_t size; /* at least 1 */
  uint32_t tag, flags;
};

struct gasan_cpu_ranges {
  pthread_mutex_t lock;
  struct gasan_cpu_range *items; /* by base */
  size_t count, room;
};

#define GASAN_CPU_RANGES_INITIALIZER {.lock = PTHREAD_MUTEX_INITIALIZER}

/* False: no memory. The range overlaps none that is in the set. */
bool gasan_cpu_ranges_add(struct gasan_cpu_ranges *ranges, struct gasan_cpu_range range);
/* The range that the address is in, copied to *range; false: none. */
bool gasan_cpu_ranges_find(struct gasan_cpu_ranges *ranges, uintptr_t address, struct gasan_cpu_range *range);
/* Takes out the range that begins at base and has one of the tags in the bit set; false: there is none. */
bool gasan_cpu_ranges_take(struct gasan_cpu_ranges *ranges, uintptr_t base, uint32_t tags,
                           struct gasan_cpu_range *range);
/* Takes out all ranges inside [base, base + size); returns their bytes with this tag. */
size_t gasan_cpu_ranges_clear(struct gasan_cpu_ranges *ranges, uintptr_t base, size_t size, uint32_t tag);

#endif
