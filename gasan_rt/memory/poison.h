/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ASan's interface for device memory, by the regions of sub-allocators (suballocators.h): accessible bytes that touch
 * are one region, so a kernel may go from one to the next, as with ASan. Any thread; the pool's lock. */
#ifndef GASAN_RT_POISON_H
#define GASAN_RT_POISON_H

#include <stdbool.h>
#include <stddef.h>

/* Make the bytes inaccessible, or accessible again. Do nothing for memory that is not in a live allocation of a pool.
 * Bytes in the middle of accessible ones stay accessible, and a message says so: a pointer to the bytes before them may
 * lead to those behind them. */
void gasan_poison(const void *base, size_t size);
void gasan_unpoison(const void *base, size_t size);

/* Returns the first byte of device memory of the range that is not accessible; NULL: there is none. */
const void *gasan_find_poison(const void *base, size_t size);

#endif
