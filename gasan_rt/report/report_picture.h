/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws the bytes around an address that is close to the end or the start of its object. Must be called with the report
 * lock held. */
#ifndef GASAN_RT_REPORT_PICTURE_H
#define GASAN_RT_REPORT_PICTURE_H

#include <stdint.h>

/* [base, base + size) is the object; the access has `width` bytes at `access`. Draws nothing if a picture would not
 * help: the bytes are far from the object's edges, or all inside of it. */
void gasan_report_draw_bytes(uint64_t base, uint64_t size, uint64_t access, uint64_t width);

#endif
