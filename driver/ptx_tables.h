/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the instrumentation's tables short in PTX. LLVM writes each of their bytes as a number, for which ptxas takes
 * half a second for a megabyte of table. */
#ifndef GASAN_DRIVER_PTX_TABLES_H
#define GASAN_DRIVER_PTX_TABLES_H

#include <stdbool.h>

/* Writes the PTX to `shortened`, with GASAN_SITES_SYMBOL and GASAN_PROOFS_SYMBOL as arrays of 64-bit words. Zeros
 * follow the last byte up to a word's end. Returns false, and writes nothing, if the PTX has no such table of bytes. */
bool gasan_ptx_tables_shorten(const char *assembly, const char *shortened);

#endif
