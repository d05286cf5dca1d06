/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names that report_path stands for. Needs the report lock. */
#ifndef GASAN_RT_REPORT_NAME_H
#define GASAN_RT_REPORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the absolute name that report_path stands for in this process, without an ending: %p and %q{NAME} are
 * replaced. A relative name is relative to the directory in which the program has started. *has_pid: the name has %p.
 * Returns NULL, or the reason why there is no name, which is valid until the next call. */
const char *gasan_report_expand_path(char *path, size_t size, bool *has_pid);

#endif
