/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of report_format=json and sarif. Needs the report lock. */
#ifndef GASAN_RT_REPORT_FILE_H
#define GASAN_RT_REPORT_FILE_H

#include <stdbool.h>

#include "document/document.h"

/* Return whether report_format names the format ("json"), or one that is written to files. */
bool gasan_report_has_format(const char *name);
bool gasan_report_has_files(void);

/* Writes the document to the file of each format. A file always has a whole document: the new one is written beside it
 * and takes its name. Returns false if a file cannot be written; the first time, prints an error. */
bool gasan_report_write_files(const struct gasan_document *document);

/* Writes the name of a format's file into `path`. `ending`: ".json". */
void gasan_report_file_name(const char *ending, char *path, size_t size);

#endif
