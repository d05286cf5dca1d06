/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code with checks in place of the code that a program loads (GASAN_OPTIONS=instrument=on). The work is done by
 * gasan-ptxas, a process of its own, and kept on disk. Any thread; no lock of its own. Calls may take seconds; a line
 * says so. */
#ifndef GASAN_RT_CHECKED_CODE_H
#define GASAN_RT_CHECKED_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "gasan_rt/instrument/code_image.h"
#include "gasan_rt/instrument/lift_tool.h"

struct gasan_checked_code {
  void *data;          /* a cubin or PTX, which the caller frees; NULL: there is none */
  size_t size;         /* bytes; PTX has a NUL behind them */
  char why[GASAN_WHY]; /* without data: the reason; "": the code has checks already */
};

/* True with instrument=on. */
bool gasan_checked_code_wanted(void);

/* Makes the code for a GPU of this architecture (90 is sm_90). Without data, the program's own code must be loaded. */
void gasan_checked_code_make(const void *image, int architecture, struct gasan_checked_code *code);

/* Makes one piece of code of the inputs of a link: an object for a linker, or the whole. */
void gasan_checked_code_make_linked(const struct gasan_code_image *images, size_t count, int architecture,
                                    bool is_object, struct gasan_checked_code *code);
/* Returns true if code has PTX, and no checks yet. `why`: the reason if not; "": it has checks already. */
bool gasan_checked_code_is_possible(const struct gasan_code_image *image, int architecture, char why[GASAN_WHY]);

/* Starts the work for code that the program will probably load, in a thread of gasan's. Copies the code. Returns false
 * if the code has no PTX, or was made before. */
bool gasan_checked_code_expect(const struct gasan_code_image *image, int architecture);

/* Keeps the PTX from which NVRTC has made a cubin, for the time when the cubin is loaded, perhaps by another process.
 */
void gasan_checked_code_keep_ptx(const void *cubin, size_t size, const char *ptx);

#endif
