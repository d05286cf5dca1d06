/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* PTX as LLVM writes it: each declaration begins a line. Text ends with a NUL. */
#ifndef GASAN_DRIVER_PTX_TEXT_H
#define GASAN_DRIVER_PTX_TEXT_H

#include <stdbool.h>

/* Is the text in this line? */
bool gasan_ptx_line_has(const char *line, const char *text);

/* Of a line that declares or defines a function (kind is ".func" or ".entry"): its symbol, up to the line's end. NULL:
 * the line does something else, or the function is elsewhere. */
const char *gasan_ptx_symbol(const char *kind, const char *line);

/* Is the function, by its symbol, one of the device runtime? Both "__gasan_..." and C++ names of "gasan_..." are. */
bool gasan_ptx_is_runtime(const char *symbol);

#endif
