/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the compile steps of one source print. clang compiles a CUDA source once a device and once for the host, and
 * each time may say the same; a person wants to read it once. */
#ifndef GASAN_DRIVER_DIAGNOSTICS_H
#define GASAN_DRIVER_DIAGNOSTICS_H

/* Prints `text` on stderr without the warnings and errors that were printed before for the same source. A diagnostic
 * goes from its "In file included from" lines to its last note; counts such as "1 warning generated." go with what
 * they count. */
void gasan_diagnostics_print(const char *text);
/* The next text belongs to another source. */
void gasan_diagnostics_forget(void);

#endif
