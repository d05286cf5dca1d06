/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the trace of a program compiled with -fsanitize-gpu-address-trace (base/trace_format.h) to
 * GASAN_OPTIONS=trace_path. Without that option, no function does anything. Any thread. One lock (`lock`), under which
 * the device, the pool and files are used. */
#ifndef GASAN_RT_ACCESS_TRACE_H
#define GASAN_RT_ACCESS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct gasan_rt_device;

/* Creates the device's buffer. Returns its address; 0: no trace is written. */
uint64_t gasan_trace_open(struct gasan_rt_device *state);

/* Returns whether a trace of the device is written. */
bool gasan_trace_is_written(const struct gasan_rt_device *state);

/* Must be called after a launch, outside of its locks. Waits for the device, and appends the launch's records to the
 * file. `name` is the kernel's symbol, or NULL. A graph's launch has a grid and blocks of 0. */
void gasan_trace_after_launch(struct gasan_rt_device *state, const char *name, const uint32_t grid[3],
                              const uint32_t block[3]);

#endif
