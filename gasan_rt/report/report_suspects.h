/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches that may have caused a report, when no check has named the kernel. Any thread. */
#ifndef GASAN_RT_REPORT_SUSPECTS_H
#define GASAN_RT_REPORT_SUSPECTS_H

#include <stdbool.h>
#include <stdint.h>

#define GASAN_SUSPECT_KERNELS 8u

/* Launches with the same host stack. */
struct gasan_report_suspect {
  uint64_t count;
  uint32_t stack, thread; /* of the latest launch */
  bool is_graph;
  const char *kernels[GASAN_SUSPECT_KERNELS]; /* symbols: of the launched kernel, or of a graph's, each once */
  uint32_t kernel_count;                      /* 0: not known */
  uint32_t grid[3], block[3];
  /* The reason why the kernel has no checks, as text to follow "the kernel"; NULL: it may have checks. */
  const char *unchecked;
};

/* Removes suppressed launches, and orders kernels without checks first: in other kernels, checks would most likely have
 * caught the access. Returns the number of the remaining ones. */
uint32_t gasan_report_sort_suspects(struct gasan_report_suspect *suspects, uint32_t count);

/* Prints the heading, the launches, and the number of `others`, which "may", as `have` says ("have run"). */
void gasan_report_print_suspects(const char *heading, const char *have, const struct gasan_report_suspect *suspects,
                                 uint32_t count, uint64_t others);

#endif
