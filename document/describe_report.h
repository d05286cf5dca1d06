/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Describes a report in sentences, for formats that show a message. No locks. */
#ifndef GASAN_DOCUMENT_DESCRIBE_REPORT_H
#define GASAN_DOCUMENT_DESCRIBE_REPORT_H

#include "document/document.h"
#include "document/text.h"

/* Adds "heap-buffer-overflow: read of 4 bytes, 0 bytes after a 128-byte region, in kernel sums(float*)." */
void gasan_doc_describe(const struct gasan_doc_report *report, struct gasan_text *out);
/* Adds a stack's heading: "Allocated by host thread T0". */
void gasan_doc_describe_stack(const struct gasan_doc_stack *stack, struct gasan_text *out);
/* Returns a sentence about a kind of bug. */
const char *gasan_doc_explain_kind(const char *kind);

#endif
