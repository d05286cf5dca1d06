/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What calls of both APIs do to end all work of a device. Any thread; no lock. */
#ifndef GASAN_RT_WAITS_H
#define GASAN_RT_WAITS_H

#include <driver_types.h>

struct gasan_rt_device;

/* Waits, reports faults, and frees the program's chunks. Returns the error of the wait. */
cudaError_t gasan_reset_device(struct gasan_rt_device *state);

#endif
