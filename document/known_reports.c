/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds equal reports by a hash table in the document, because `gasan report` merges thousands. */
#include <stdlib.h>

#include "base/check.h"
#include "document/document.h"

#define FIRST_BUCKETS 64u

static struct gasan_doc_report **bucket_of(struct gasan_document *document, uint64_t fingerprint) {
  return &document->buckets[(fingerprint * 0x9e3779b97f4a7c15) >> 32 & (document->bucket_count - 1)];
}

static void insert(struct gasan_document *document, struct gasan_doc_report *report) {
  struct gasan_doc_report **last = bucket_of(document, report->fingerprint);
  while (*last) /* so that the first of several equal reports is found first */
    last = &(*last)->next_in_bucket;
  *last = report;
}

/* Makes the table anew, at least as large as the list. */
static void build_table(struct gasan_document *document) {
  uint32_t count = 0, buckets = FIRST_BUCKETS;
  for (struct gasan_doc_report *report = document->reports; report; report = report->next)
    count++;
  while (buckets < 2 * count)
    buckets *= 2;
  free(document->buckets);
  document->buckets = calloc(buckets, sizeof(struct gasan_doc_report *));
  GASAN_CHECK(document->buckets);
  document->bucket_count = buckets;
  document->report_count = count;
  for (struct gasan_doc_report *report = document->reports; report; report = report->next) {
    report->next_in_bucket = NULL;
    insert(document, report);
  }
}

static struct gasan_doc_report *find_same(struct gasan_document *document, const struct gasan_doc_report *report) {
  struct gasan_doc_report *known = *bucket_of(document, report->fingerprint);
  while (known && (known->fingerprint != report->fingerprint || !gasan_doc_is_same(known, report)))
    known = known->next_in_bucket;
  return known;
}

struct gasan_doc_report *gasan_doc_add_report(struct gasan_document *document, struct gasan_doc_report *report) {
  report->fingerprint = gasan_doc_fingerprint(report);
  report->next = report->next_in_bucket = NULL;
  if (!document->buckets || document->report_count >= document->bucket_count)
    build_table(document);
  struct gasan_doc_report *known = find_same(document, report);
  if (known) {
    known->count += report->count;
    known->leaked_bytes += report->leaked_bytes;
    known->leaked_objects += report->leaked_objects;
    for (uint32_t i = 0; i < report->process_count; i++)
      gasan_doc_name_process(known, report->processes[i]);
    gasan_doc_free_report(report);
    return known;
  }
  *(document->last ? &document->last->next : &document->reports) = report;
  document->last = report;
  document->report_count++;
  insert(document, report);
  return report;
}

/* Marks a known report that stands for this one, and is not marked yet. */
static bool mark_known(struct gasan_document *known, const struct gasan_doc_report *report, bool has_same_lines) {
  struct gasan_doc_report *at = known->buckets ? *bucket_of(known, report->fingerprint) : NULL;
  while (at &&
         (at->fingerprint != report->fingerprint || at->is_used || (has_same_lines && !gasan_doc_is_same(at, report))))
    at = at->next_in_bucket;
  if (at)
    at->is_used = true;
  return at != NULL;
}

static uint32_t leave_out(struct gasan_document *document, struct gasan_document *known, bool has_same_lines) {
  uint32_t count = 0;
  struct gasan_doc_report **at = &document->reports;
  document->last = NULL;
  while (*at) {
    struct gasan_doc_report *report = *at;
    if (!mark_known(known, report, has_same_lines)) {
      document->last = report;
      at = &report->next;
      continue;
    }
    *at = report->next;
    gasan_doc_free_report(report);
    count++;
  }
  return count;
}

uint32_t gasan_doc_leave_out_known(struct gasan_document *document, struct gasan_document *known) {
  for (struct gasan_doc_report *report = known->reports; report; report = report->next)
    report->is_used = false;
  uint32_t count = leave_out(document, known, true);
  count += leave_out(document, known, false);
  if (count)
    build_table(document);
  return count;
}
