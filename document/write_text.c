/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include "document/writers.h"

#define MOST_NAMED 8u

static void write_process(const struct gasan_doc_process *process, struct gasan_text *out) {
  if (process->rank)
    gasan_text_print(out, "rank %s (", process->rank);
  gasan_text_print(out, "process %lld", (long long)process->pid);
  if (process->host)
    gasan_text_print(out, " on %s", process->host);
  if (process->rank)
    gasan_text_print(out, ")");
}

static void write_processes(const struct gasan_document *document, const struct gasan_doc_report *report,
                            struct gasan_text *out) {
  gasan_text_print(out, "Reported %llu time%s", (unsigned long long)report->count, report->count == 1 ? "" : "s");
  for (uint32_t i = 0; i < report->process_count && i < MOST_NAMED; i++) {
    gasan_text_print(out, "%s", i ? ", " : " by ");
    write_process(&document->processes[report->processes[i]], out);
  }
  if (report->process_count > MOST_NAMED)
    gasan_text_print(out, " and %u more processes", report->process_count - MOST_NAMED);
  gasan_text_print(out, "\n\n");
}

void gasan_write_text(const struct gasan_document *document, struct gasan_text *out) {
  uint64_t different = 0, all = 0;
  for (const struct gasan_doc_report *report = document->reports; report; report = report->next) {
    gasan_text_print(out, "%s", report->text);
    write_processes(document, report, out);
    different++;
    all += report->count;
  }
  gasan_text_print(out, "%llu different report%s, %llu in all, by %u process%s\n", (unsigned long long)different,
                   different == 1 ? "" : "s", (unsigned long long)all, document->process_count,
                   document->process_count == 1 ? "" : "es");
}
