/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Describes the memory at an access of which the device has told the address, or only its page. Any thread. */
#ifndef GASAN_RT_REPORT_PLACE_H
#define GASAN_RT_REPORT_PLACE_H

#include "gasan_rt/report/report.h"

struct gasan_stop_place {
  uint64_t address, span; /* the access began in these `span` bytes. 1: exactly at `address`. 0: not known */
  enum gasan_kind kind;
  bool has_chunk;  /* the chunk that explains the address */
  bool is_foreign; /* the address is in memory outside the pools */
  struct gasan_chunk chunk;
  bool has_thread; /* the thread that made the access */
  uint32_t thread[3], block[3];
};

/* Writes the end of the report's first line: " on cuda device 0 address 0x..". */
void gasan_report_place_title(const struct gasan_rt_device *state, const struct gasan_stop_place *place, char *text,
                              size_t size);
/* Writes " at 0x.." or " in the 4096 bytes from 0x.."; "" if nothing is known. */
void gasan_report_place_text(const struct gasan_stop_place *place, char *text, size_t size);
/* Prints where the place is, relative to the chunk, and the chunk's stacks. */
void gasan_report_print_place(const struct gasan_stop_place *place);

#endif
