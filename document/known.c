/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "document/document.h"

static bool is_fingerprint_equal(const struct gasan_doc_report *a, const struct gasan_doc_report *b) {
  return gasan_doc_fingerprint(a) == gasan_doc_fingerprint(b);
}

/* Removes each report that has an equal one among the known reports, and that one, too: a second bug in the same
 * functions is not known. Returns the number of removed reports. */
static uint32_t drop_known(struct gasan_document *document, struct gasan_document *known,
                           bool (*is_equal)(const struct gasan_doc_report *a, const struct gasan_doc_report *b)) {
  uint32_t dropped = 0;
  struct gasan_doc_report **at = &document->reports;
  while (*at) {
    struct gasan_doc_report *report = *at, **other = &known->reports;
    while (*other && !is_equal(report, *other))
      other = &(*other)->next;
    struct gasan_doc_report *found = *other;
    if (!found) {
      at = &report->next;
      continue;
    }
    *at = report->next;
    *other = found->next;
    gasan_doc_free_report(report);
    gasan_doc_free_report(found);
    dropped++;
  }
  return dropped;
}

uint32_t gasan_doc_drop_known(struct gasan_document *document, struct gasan_document *known) {
  const uint32_t same = drop_known(document, known, gasan_doc_is_same);
  return same + drop_known(document, known, is_fingerprint_equal);
}
