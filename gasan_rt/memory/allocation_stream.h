/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records the allocation stream of memory: the stream in whose order the memory was allocated. The launch proof needs
 * it.
 *
 * A proof uses the memory that is live at the launch; full checks use the memory that is live when the kernel starts.
 * Between the two, only stream-ordered frees can free memory, and a free runs after the earlier kernels of its own
 * stream. As a rule, programs free memory in its allocation stream. So a proof relies on memory only in launches into
 * that stream. The first free in another stream ends all proving.
 *
 * Any thread. One lock (`lock`), under which nothing is called. */
#ifndef GASAN_RT_ALLOCATION_STREAM_H
#define GASAN_RT_ALLOCATION_STREAM_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* Record that the memory at `base` was allocated in the stream's order; that a free of the memory is queued in a
 * stream; that the memory was freed. */
void gasan_allocation_stream_set(uint64_t base, cudaStream_t stream);
void gasan_allocation_stream_will_free(uint64_t base, cudaStream_t stream);
void gasan_allocation_stream_forget(uint64_t base);

/* Returns true if the program has freed memory in a stream other than its allocation stream. From then on, no launch
 * may rely on stream-ordered memory. */
bool gasan_allocation_stream_is_crossed(void);

/* Returns true if there may be memory on which a kernel in the stream cannot rely. */
bool gasan_allocation_stream_matters(cudaStream_t stream);
/* Returns true if the memory at `base` certainly lives until a kernel that is now launched into the stream has run. */
bool gasan_allocation_stream_lasts(uint64_t base, cudaStream_t stream);

#endif
