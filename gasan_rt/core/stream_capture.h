/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stream capture: while a stream captures, waiting for its device is an error that would spoil the capture. Any thread.
 */
#ifndef GASAN_RT_STREAM_CAPTURE_H
#define GASAN_RT_STREAM_CAPTURE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* Is any stream of the process capturing? */
bool gasan_capture_active(void);

/* Is this stream? A kernel launched into it starts no grid now. */
bool gasan_capture_in(cudaStream_t stream);

/* Does a capture forbid the calling thread what may wait, as cudaMalloc does? The device's own call then fails with the
 * right error and spoils the capture, which is what the program is to see. */
bool gasan_capture_forbids(void);

/* The calling thread has begun to capture the stream. */
void gasan_capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode);

/* The capture of the stream has ended. True: it was the process's last one. */
bool gasan_capture_end(cudaStream_t stream);

#endif
