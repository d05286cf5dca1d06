/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of boxes of bytes: what every copy call becomes. */
#ifndef GASAN_DEVICE_CPU_COPY_H
#define GASAN_DEVICE_CPU_COPY_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/* A box of bytes in memory: rows of a pitch, slices of a number of rows. */
struct gasan_cpu_box {
  char *origin;
  size_t pitch, rows_per_slice;
};

cudaError_t gasan_cpu_copy_box(struct gasan_cpu_box to, struct gasan_cpu_box from, struct cudaExtent extent,
                               enum cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream);
cudaError_t gasan_cpu_copy_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, bool asynchronous,
                                 cudaStream_t stream);

#endif
