/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracks stream capture. While a stream captures, waiting for its device is an error that invalidates the capture. Any
 * thread. One lock (`lock`), under which nothing is called. */
#ifndef GASAN_RT_STREAM_CAPTURE_H
#define GASAN_RT_STREAM_CAPTURE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* Returns true if any stream of the process captures. */
bool gasan_capture_active(void);

/* Returns true if this stream captures. A kernel that is launched into it now starts no grid. */
bool gasan_capture_in(cudaStream_t stream);

/* Returns true if a capture forbids the calling thread to make calls that may wait, such as cudaMalloc. The caller then
 * makes the device's own call, which returns the right error and invalidates the capture, as the program expects. */
bool gasan_capture_forbids(void);

/* Must be called when the calling thread has begun to capture the stream. */
void gasan_capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode);

/* Must be called when the capture of the stream has ended. Returns true if no other stream captures. */
bool gasan_capture_end(cudaStream_t stream);

#endif
