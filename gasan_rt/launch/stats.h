/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints statistics at the end of the process (print_stats=1), and counts memory without guards. One thread. Takes the
 * report lock. */
#ifndef GASAN_RT_STATS_H
#define GASAN_RT_STATS_H

#include <stdbool.h>

void gasan_stats_print(void);

/* Counts a kernel of the driver API. Called at its first launch. */
void gasan_stats_count_kernel(bool checked);

/* Prints one line about these kernels, with instrument=on, and one line if the program had device memory without a
 * guard page. For programs that were not built with gasan.
 */
void gasan_stats_print_unguarded(void);

#endif
