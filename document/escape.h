/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes texts as content and attributes of XML and HTML. No locks. */
#ifndef GASAN_DOCUMENT_ESCAPE_H
#define GASAN_DOCUMENT_ESCAPE_H

#include "document/text.h"

/* Adds a text for content, or for an attribute in double quotes. Bytes that are no UTF-8, and control characters, which
 * XML 1.0 does not have, become U+FFFD. */
void gasan_escape(struct gasan_text *out, const char *text);

#endif
