/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports leaks (detect_leaks=1): memory that the program has not freed when it ends. Uses LeakSanitizer's wording. One
 * thread, at the end of the process. */
#ifndef GASAN_RT_LEAKS_H
#define GASAN_RT_LEAKS_H

/* Must be called when the program's destructors have run. Reports the leaks that no suppression leak:PATTERN matches.
 * If there are any, ends the process. */
void gasan_leaks_report(void);

/* Reads a device's live heap chunks, for gasan_leaks_report. Must be called once for each device, when all kernels have
 * ended. */
struct gasan_rt_device;
void gasan_leaks_read_heap(struct gasan_rt_device *state);

#endif
