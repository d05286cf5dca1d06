/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the diagnostics of all compile steps of one source, each once. clang compiles a CUDA source once for each
 * device and once for the host, and may report the same diagnostic each time. */
#ifndef GASAN_DRIVER_DIAGNOSTICS_H
#define GASAN_DRIVER_DIAGNOSTICS_H

/* Prints `text` on stderr without the warnings and errors that were printed before for the same source. A diagnostic
 * extends from its "In file included from" lines to its last note. Counts such as "1 warning generated." are printed
 * with the diagnostics that they count. */
void gasan_diagnostics_print(const char *text);
/* Must be called before the texts of another source. */
void gasan_diagnostics_forget(void);

#endif
