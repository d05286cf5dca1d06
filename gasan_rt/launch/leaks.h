/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaks (detect_leaks=1): memory that the program has not freed when it ends, in LeakSanitizer's words. One thread, at
 * the end of the process. */
#ifndef GASAN_RT_LEAKS_H
#define GASAN_RT_LEAKS_H

/* Call when the program's destructors have run. Reports leaks that no line leak:PATTERN suppresses, and then ends the
 * process. */
void gasan_leaks_report(void);

/* Reads a device's live heap chunks, for gasan_leaks_report. Call once a device, when all kernels have ended. */
struct gasan_rt_device;
void gasan_leaks_read_heap(struct gasan_rt_device *state);

#endif
