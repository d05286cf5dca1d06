/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The allocation stream of memory: the stream in whose order it was allocated. The launch proof needs it.
 *
 * A proof sees the memory that is live at the launch; full checks look when the kernel starts. Between the two, only
 * stream-ordered frees can end memory, and they run after the earlier kernels of their own stream. Programs free
 * memory, as a rule, in its allocation stream. So a proof relies on memory only in launches into that stream. The first
 * free in another stream ends all proving.
 *
 * Any thread. One lock (`lock`), under which nothing is called. */
#ifndef GASAN_RT_ALLOCATION_STREAM_H
#define GASAN_RT_ALLOCATION_STREAM_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* Records that the memory at `base` was allocated in the stream's order; that it will be freed in the stream's order;
 * that it was freed. */
void gasan_allocation_stream_set(uint64_t base, cudaStream_t stream);
void gasan_allocation_stream_will_free(uint64_t base, cudaStream_t stream);
void gasan_allocation_stream_forget(uint64_t base);

/* Returns true if the program has freed memory in another stream than its allocation stream. Then no launch may rely on
 * stream-ordered memory. */
bool gasan_allocation_stream_is_crossed(void);

/* Returns true if there may be memory that a kernel in the stream cannot rely on. */
bool gasan_allocation_stream_matters(cudaStream_t stream);
/* Returns true if the memory at `base` lives until a kernel that is launched into the stream now has run. */
bool gasan_allocation_stream_lasts(uint64_t base, cudaStream_t stream);

#endif
