/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* With halt_on_error=0: a place is reported once, and later errors at the place are counted. The end of the process
 * prints the counts, and the number of reports that print_limit has kept from being printed.
 *
 * Any thread; one lock of its own, under which nothing is called. */
#ifndef GASAN_RT_REPORT_REPEAT_H
#define GASAN_RT_REPORT_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

struct gasan_device_fault;
struct gasan_doc_report;

/* Return true if the place has had no report yet, and the limit is not reached. The calling thread's next
 * gasan_repeat_reported is then about the place. A suppressed error must not be followed by gasan_repeat_reported. */
bool gasan_repeat_is_new_fault(const struct gasan_device_fault *fault);
bool gasan_repeat_is_new_call(uint32_t kind, uint32_t stack);

/* Must be called at the end of a report. kept: the report in the document of this process; NULL: it has none. */
void gasan_repeat_reported(const char *kind, struct gasan_doc_report *kept);

/* Prints the counts, and writes the files of reports. Must be called at the end of the process. Takes the report
 * lock. */
void gasan_repeat_finish(void);
/* Returns true if the process must not end with exit code 0: an error was reported, and the program has gone on. */
bool gasan_repeat_any(void);

#endif
