/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws parts of a report as SVG inside of HTML (private to document/). No locks. */
#ifndef GASAN_DOCUMENT_HTML_PICTURES_H
#define GASAN_DOCUMENT_HTML_PICTURES_H

#include "document/document.h"
#include "document/text.h"

/* Draws the object, its neighbours and the bad address, not to scale; nothing for a report without them. */
void gasan_html_draw_memory(const struct gasan_doc_report *report, struct gasan_text *out);

/* Draws the threads of the block with the access; nothing if the report names no thread, or the block is too large. */
void gasan_html_draw_block(const struct gasan_doc_report *report, struct gasan_text *out);

#endif
