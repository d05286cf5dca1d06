/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaks: what the program allocated and had not freed when it ended (detect_leaks=1), in LeakSanitizer's words. */
#ifndef GASAN_RT_LEAKS_H
#define GASAN_RT_LEAKS_H

/* At the end of the process, when the program's destructors have run. Reports and ends the process if there are leaks
 * that no line leak:PATTERN suppresses. */
void gasan_leaks_report(void);

/* Notes what kernels have allocated and not freed, for gasan_leaks_report; once a device, when all kernels have ended.
 */
struct gasan_rt_device;
void gasan_leaks_read_heap(struct gasan_rt_device *state);

#endif
