/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a document in a format, at the end of `out`. No locks. */
#ifndef GASAN_DOCUMENT_WRITERS_H
#define GASAN_DOCUMENT_WRITERS_H

#include "document/document.h"
#include "document/text.h"

/* docs/gasan-report-1.schema.json describes it. */
void gasan_write_json(const struct gasan_document *document, struct gasan_text *out);
/* SARIF 2.1.0: a run, with a rule for each kind. */
void gasan_write_sarif(const struct gasan_document *document, struct gasan_text *out);
/* JUnit's XML: a test case that has failed for each report. */
void gasan_write_junit(const struct gasan_document *document, struct gasan_text *out);
/* One HTML page without other files: source lines, drawings of the memory and of the block's threads. */
void gasan_write_html(const struct gasan_document *document, struct gasan_text *out);
/* The reports as they were printed, each with the number of equal ones and their processes. */
void gasan_write_text(const struct gasan_document *document, struct gasan_text *out);

/* Reads a JSON document, and adds it to the document. Returns false and a message if the text is none, or has a newer
 * version; nothing is added then. */
bool gasan_read_json(struct gasan_document *document, const char *text, size_t length, char *message,
                     size_t message_size);

#endif
