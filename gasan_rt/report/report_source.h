/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the source line of a report with a caret under the access, and the values that make the index. Prints nothing
 * of a file that cannot be read, or with print_source=0. Must be called with the report lock held. */
#ifndef GASAN_RT_REPORT_SOURCE_H
#define GASAN_RT_REPORT_SOURCE_H

#include <stdint.h>

struct gasan_proof_explanation;

/* why NULL: the values are not known. */
void gasan_report_print_source(const char *file, int line, int column, const struct gasan_proof_explanation *why);
/* Prints the line of a host stack that the summary names. */
void gasan_report_print_host_source(uint32_t stack);

#endif
