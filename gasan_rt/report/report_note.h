/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records a report as data while it is printed, for report_format=json and sarif. The functions that print a part call
 * these beside it. All must be called with the report lock held, between gasan_note_begin and gasan_note_end; they do
 * nothing if report_format is text only.
 *
 * A report has stacks. gasan_note_stack begins one; the frames that are printed next belong to it. */
#ifndef GASAN_RT_REPORT_NOTE_H
#define GASAN_RT_REPORT_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "document/document.h"

struct gasan_record;
struct gasan_rt_device;

/* `title` is the end of the report's first line. begin also keeps the text from being printed, if report_format says
 * so. */
void gasan_note_begin(const char *kind, const char *title);
/* Ends the report; the next gasan_note_end writes it. */
void gasan_note_add(void);
/* Ends the report and writes the files. `dies`: the process ends now, with the exit code of reports. If a file cannot
 * be written, prints an error and, unless it is printed already, the text. Returns the report, or the equal one that
 * has its count; NULL: report_format is text only. */
struct gasan_doc_report *gasan_note_end(bool dies);
/* Adds equal errors to a report that gasan_note_end has returned. Takes the report lock. */
void gasan_note_repeat(struct gasan_doc_report *report, uint64_t times, uint64_t threads);
/* Writes the files at the end of a process that has had no reports, since the process was checked, or whose counts have
 * changed. Takes the report lock. */
void gasan_note_finish(void);

void gasan_note_device(const struct gasan_rt_device *state);
void gasan_note_address(uint64_t address);
/* operation: "READ", "WRITE", "CALL", "FREE", or another word for an unknown access. */
void gasan_note_access(const char *operation);
void gasan_note_access_range(uint64_t address, uint64_t size);
void gasan_note_access_size(uint64_t size);
void gasan_note_api(const char *api);
void gasan_note_threads(uint64_t threads);
void gasan_note_leak(uint64_t bytes, uint64_t objects);

/* The lines around the access; the values that make its index; the bits of the block's threads that leave the object.
 */
void gasan_note_source(uint32_t first_line, uint32_t count, const char *const *lines);
void gasan_note_value(const char *expression, const char *value);
void gasan_note_block_threads(const uint64_t *words, uint32_t count);

void gasan_note_stack(enum gasan_doc_role role);
/* The same, by a host thread. */
void gasan_note_host_stack(enum gasan_doc_role role, uint32_t thread);
/* Describe the last stack. kernel is the name as printed. */
void gasan_note_device_thread(const uint32_t thread[3], const uint32_t block[3], uint32_t lane);
void gasan_note_kernel(const char *kernel);
void gasan_note_launch(const char *kernel, uint32_t host_thread);
void gasan_note_shape(const uint32_t grid_dim[3], const uint32_t block_dim[3]);
void gasan_note_unchecked(const char *why);
void gasan_note_count(uint64_t count);

/* The memory at `base` that explains the address. type: "region", "global variable", ... name NULL: it has none. */
void gasan_note_object(const char *type, const char *name, uint64_t base, uint64_t size, uint64_t address);
/* A live allocation beside the object that gasan_note_object has named first. */
void gasan_note_neighbour(uint64_t base, uint64_t size);
/* Returns true if neighbours are wanted: there is a report, and it has none yet. */
bool gasan_note_wants_neighbours(void);
/* A part of an array: the distance in `unit`. */
void gasan_note_array(const char *name, const char *relation, uint64_t distance, uint64_t size, const char *unit);

#endif
