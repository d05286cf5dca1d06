/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the access that has stopped a kernel, as a GPU core dump has it. Any thread. */
#ifndef GASAN_RT_REPORT_DUMP_H
#define GASAN_RT_REPORT_DUMP_H

#include "gasan_rt/evidence/evidence.h"
#include "gasan_rt/report/report_place.h"

/* Returns "READ", "WRITE" or "Access", by the dump or by the kernel's log. */
const char *gasan_report_stopped_access(const struct gasan_evidence *evidence);

/* Prints the access with its threads. */
void gasan_report_print_dump_access(const struct gasan_evidence *evidence, const struct gasan_stop_place *place);
/* Prints the frames of the instruction. Returns the number of the next frame, which is the launch's. */
int gasan_report_print_dump_frames(const struct gasan_dump_fault *dump);
void gasan_report_print_dump_summary(enum gasan_kind kind, const struct gasan_dump_fault *dump);

/* Returns true if the kernel, or a function with the instruction, is suppressed. */
bool gasan_report_dump_suppressed(const struct gasan_dump_fault *dump);

#endif
