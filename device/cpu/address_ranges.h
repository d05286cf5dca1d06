/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A set of disjoint address ranges, each with a tag, for memory and handles. Any thread: each set has a lock. */
#ifndef GASAN_DEVICE_CPU_ADDRESS_RANGES_H
#define GASAN_DEVICE_CPU_ADDRESS_RANGES_H

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
  struct gasan_cpu_range *items; /* sorted by base */
  size_t count, room;
};

#define GASAN_CPU_RANGES_INITIALIZER {.lock = PTHREAD_MUTEX_INITIALIZER}

/* Adds a range, which must not overlap any range of the set. Returns false without memory. */
bool gasan_cpu_ranges_add(struct gasan_cpu_ranges *ranges, struct gasan_cpu_range range);
/* Copies the range that contains the address to *range. Returns false if there is none. */
bool gasan_cpu_ranges_find(struct gasan_cpu_ranges *ranges, uintptr_t address, struct gasan_cpu_range *range);
/* Removes the range that begins at base and has a tag in the bit set; copies it to *range. Returns false if there is
 * none. */
bool gasan_cpu_ranges_take(struct gasan_cpu_ranges *ranges, uintptr_t base, uint32_t tags,
                           struct gasan_cpu_range *range);
/* Removes all ranges inside [base, base + size). Returns the number of bytes in the removed ranges with this tag. */
size_t gasan_cpu_ranges_clear(struct gasan_cpu_ranges *ranges, uintptr_t base, size_t size, uint32_t tag);

#endif
