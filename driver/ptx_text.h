/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads PTX as LLVM writes it: each declaration begins a line. Texts end with a NUL. */
#ifndef GASAN_DRIVER_PTX_TEXT_H
#define GASAN_DRIVER_PTX_TEXT_H

#include <stdbool.h>

/* Returns true if the line contains the text. */
bool gasan_ptx_line_has(const char *line, const char *text);

/* Returns the symbol, followed by the rest of the line, if the line declares or defines a function (`kind` is ".func"
 * or ".entry"). NULL: another line, or an external function. */
const char *gasan_ptx_symbol(const char *kind, const char *line);

/* Returns the start of the next line, or the text's end. */
const char *gasan_ptx_after_line(const char *line);

/* Returns the brace that closes the first one at or after `text`, or NULL. Skips braces in comments and strings. */
const char *gasan_ptx_closing(const char *text);

/* Returns true if the symbol belongs to the device runtime: "__gasan_..." or a C++ name of "gasan_...". */
bool gasan_ptx_is_runtime(const char *symbol);

#endif
