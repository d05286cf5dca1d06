/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What calls of both APIs do for a copy or a set. Any thread; no lock. */
#ifndef GASAN_RT_COPIES_H
#define GASAN_RT_COPIES_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Must be called before a copy, or a set, of `size` bytes. Return false if the range was reported, and the call must
 * not be made. */
bool gasan_copy_ok(const char *api, const void *to, const void *from, size_t size);
bool gasan_set_ok(const char *api, const void *to, size_t size);

/* Notes a copy inside the device, or a set (both pointers are its memory): the hardware may count it as a launch. */
void gasan_copy_noted(const void *to, const void *from);

/* Around a copy that waits for the default stream `stream`. wait_begins returns `launch` for wait_ended, which returns
 * the error. */
uint64_t gasan_copy_wait_begins(const void *to, const void *from, cudaStream_t stream);
cudaError_t gasan_copy_wait_ended(cudaError_t error, const void *to, const void *from, cudaStream_t stream,
                                  uint64_t launch);

/* Must be called after a copy that has waited for a default stream, without the calls above. Returns the error. */
cudaError_t gasan_copy_waited(cudaError_t error, const void *to, const void *from);

#endif
