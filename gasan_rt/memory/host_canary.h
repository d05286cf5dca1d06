/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Canaries behind managed and page-locked memory of the driver API, for programs without checks.
 *
 * The host writes them at the allocation, and compares them at the free and at the end of the process. Kernels do not
 * compare them: managed pages would move to the device and back. Host code may have damaged them, too. Any thread; no
 * lock of its own. */
#ifndef GASAN_RT_HOST_CANARY_H
#define GASAN_RT_HOST_CANARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gasan_foreign;
struct gasan_pool_caller;
struct gasan_rt_device;

/* Returns the number of bytes by which the allocation must be larger; 0: it gets no canary, because it is empty or too
 * large, or because the host may not access managed memory while kernels run. */
uint32_t gasan_host_canary_room(const struct gasan_rt_device *state, size_t size, bool managed);

/* Writes a canary of `room` bytes from `end` on. Returns the number of the chunk (canary_table.h). */
uint64_t gasan_host_canary_write(struct gasan_rt_device *state, void *end, uint32_t room);

/* Compares the canary of a live range, which `caller` will free. Reports a damaged one and mends it. Waits for the
 * device if the memory is managed, whose free waits, too; then returns the error of the wait. */
int gasan_host_canary_check(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, const void *base);

/* Compares the canaries of all live ranges, at the end of the process. Reports the first damaged one. */
void gasan_host_canary_check_all(struct gasan_rt_device *state);

#endif
