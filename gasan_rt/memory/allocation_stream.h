/* Stream-ordered memory and launch-time proofs. A proof knows what memory lives when a kernel is launched; full checks look when the
 * kernel starts. In between only memory ends that is freed in stream order, and not before a kernel of the stream in which it is
 * freed. So a proof may rely on memory that is launched with in its home, the stream in whose order it was allocated: there it is
 * freed, as a rule. Where it is not, the rule is given up. Any thread. */
#ifndef GASAN_RT_ALLOCATION_STREAM_H
#define GASAN_RT_ALLOCATION_STREAM_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* What the NULL stream means under a call's name, and under its name with _ptsz. */
#define GASAN_AS_CALLED(stream) (stream)
#define GASAN_AS_CALLED_ptsz(stream) ((stream) ? (stream) : cudaStreamPerThread)

/* The memory that begins there was allocated in the stream's order. */
void gasan_home_allocated(uint64_t base, cudaStream_t stream);
/* It will be freed in the stream's order. */
void gasan_home_ends(uint64_t base, cudaStream_t stream);
/* It was freed. */
void gasan_home_forget(uint64_t base);

/* The program frees memory in other streams than its home: of no launch it is known that its memory lasts. */
bool gasan_home_is_left(void);

/* May there be memory that a kernel in the stream cannot rely on? */
bool gasan_home_matters(cudaStream_t stream);
/* Does the memory that begins there last until a kernel has run that is launched into the stream now? */
bool gasan_home_lasts(uint64_t base, cudaStream_t stream);

#endif
