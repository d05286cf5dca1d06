/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which stream's order memory was allocated: its allocation stream. The launch proof needs it.
 *
 * A proof knows what memory lives when a kernel is launched; full checks look when the kernel starts. In between only
 * memory ends that is freed in stream order, and not before a kernel of the stream in which it is freed. Programs free
 * memory, as a rule, in its allocation stream. So a proof relies on memory in launches into that stream. The first free
 * in another stream ends all proving.
 *
 * Any thread. One lock (`lock`), under which nothing is called. */
#ifndef GASAN_RT_ALLOCATION_STREAM_H
#define GASAN_RT_ALLOCATION_STREAM_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* The memory that begins there was allocated in the stream's order. */
void gasan_allocation_stream_set(uint64_t base, cudaStream_t stream);
/* It will be freed in the stream's order. */
void gasan_allocation_stream_will_free(uint64_t base, cudaStream_t stream);
/* It was freed. */
void gasan_allocation_stream_forget(uint64_t base);

/* Has the program freed memory in another stream than its allocation stream? Then no launch is known to keep its
 * memory. */
bool gasan_allocation_stream_is_crossed(void);

/* May there be memory that a kernel in the stream cannot rely on? */
bool gasan_allocation_stream_matters(cudaStream_t stream);
/* Does the memory that begins there last until a kernel has run that is launched into the stream now? */
bool gasan_allocation_stream_lasts(uint64_t base, cudaStream_t stream);

#endif
