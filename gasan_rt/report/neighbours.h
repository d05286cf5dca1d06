/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the live allocations beside a chunk, for the files of reports. Takes the pool's lock. */
#ifndef GASAN_RT_REPORT_NEIGHBOURS_H
#define GASAN_RT_REPORT_NEIGHBOURS_H

#include "pool/pool.h"

/* Does nothing if report_format is text only, or if the report has neighbours. */
void gasan_report_note_neighbours(const struct gasan_chunk *chunk);

#endif
