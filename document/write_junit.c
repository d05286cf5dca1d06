/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JUnit's XML, as GitLab, Jenkins and GitHub's actions read it. A suite without reports has one case that has passed,
 * because some readers take an empty suite for an error. */
#include "document/describe_report.h"
#include "document/escape.h"
#include "document/writers.h"

static void add_attribute(struct gasan_text *out, const char *name, const char *value) {
  gasan_text_print(out, " %s=\"", name);
  gasan_escape(out, value);
  gasan_text_print(out, "\"");
}

static void write_case(const struct gasan_doc_report *report, struct gasan_text *out) {
  struct gasan_text message = {0}, name = {0};
  char fingerprint[17];
  gasan_doc_describe(report, &message);
  gasan_doc_print_fingerprint(report, fingerprint);
  const struct gasan_doc_frame *at = &report->location;
  gasan_text_print(&name, "%s in %s (%s)", report->kind, at->function ? at->function : "an unknown function",
                   fingerprint);
  gasan_text_print(out, "    <testcase");
  add_attribute(out, "classname", at->file ? at->file : "gasan");
  add_attribute(out, "name", name.bytes);
  if (at->file)
    add_attribute(out, "file", at->file);
  if (at->file && at->line)
    gasan_text_print(out, " line=\"%u\"", at->line);
  gasan_text_print(out, ">\n      <failure");
  add_attribute(out, "type", report->kind);
  add_attribute(out, "message", message.bytes);
  gasan_text_print(out, ">");
  gasan_escape(out, report->text);
  gasan_text_print(out, "</failure>\n    </testcase>\n");
  gasan_text_free(&message);
  gasan_text_free(&name);
}

void gasan_write_junit(const struct gasan_document *document, struct gasan_text *out) {
  uint32_t count = 0;
  for (const struct gasan_doc_report *report = document->reports; report; report = report->next)
    count++;
  gasan_text_print(out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                   "  <testsuite name=\"gasan\" tests=\"%u\" failures=\"%u\" errors=\"0\">\n",
                   count ? count : 1, count);
  for (const struct gasan_doc_report *report = document->reports; report; report = report->next)
    write_case(report, out);
  if (!count)
    gasan_text_print(out, "    <testcase classname=\"gasan\" name=\"no reports\"/>\n");
  gasan_text_print(out, "  </testsuite>\n</testsuites>\n");
}
