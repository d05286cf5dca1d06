/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the memory at the access that has stopped a kernel, by the evidence. Any thread; no lock of its
 * own. */
#ifndef GASAN_RT_STOP_PLACE_H
#define GASAN_RT_STOP_PLACE_H

#include "gasan_rt/evidence/evidence.h"
#include "gasan_rt/report/report_place.h"

struct gasan_device_stop;

/* Describes the access: its address, or the page that the kernel's log names, and the chunk that explains it. */
struct gasan_stop_place gasan_stop_place_find(struct gasan_rt_device *state, const struct gasan_device_stop *stop,
                                              const struct gasan_evidence *evidence);

#endif
