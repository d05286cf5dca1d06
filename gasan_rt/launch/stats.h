/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the statistics of print_stats=1 at the end of the process. One thread. Takes the report lock. */
#ifndef GASAN_RT_STATS_H
#define GASAN_RT_STATS_H

void gasan_stats_print(void);

#endif
