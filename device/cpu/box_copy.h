/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies boxes of bytes; every copy of the API is one. Any thread. A copy waits for a running kernel (the device's
 * lock). */
#ifndef GASAN_DEVICE_CPU_BOX_COPY_H
#define GASAN_DEVICE_CPU_BOX_COPY_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/* The first byte of a box, the bytes between its rows, and the rows between its slices. */
struct gasan_cpu_box {
  char *origin;
  size_t pitch, rows_per_slice;
};

/* Copy a box of `extent` (width in bytes), or `size` bytes, in a stream. The copy is complete when they return. A call
 * that is not `asynchronous` also returns errors of earlier work. All errors are noted (gasan_cpu_result). */
cudaError_t gasan_cpu_copy_box(struct gasan_cpu_box to, struct gasan_cpu_box from, struct cudaExtent extent,
                               enum cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream);
cudaError_t gasan_cpu_copy_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, bool asynchronous,
                                 cudaStream_t stream);

#endif
