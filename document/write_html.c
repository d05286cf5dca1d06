/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One page that needs no other file and no script. It is XML, too, so that a strict parser can read it. */
#include <string.h>

#include "document/describe_report.h"
#include "document/escape.h"
#include "document/html_pictures.h"
#include "document/writers.h"

typedef unsigned long long ull;

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#1b1f24}"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin:0}article{border:1px solid #d0d7de;border-radius:6px;"
    "padding:1em;margin:1em 0;overflow-x:auto}.kind{color:#b3261e}code,pre{font:13px/1.4 ui-monospace,monospace}"
    "pre{background:#f6f8fa;padding:.7em;overflow-x:auto;margin:.6em 0}.here{background:#ffe3e0;display:block}"
    ".number{color:#6e7781}.caret{color:#b3261e;font-weight:bold}table{border-collapse:collapse;margin:.6em 0}"
    "td,th{border:1px solid #d0d7de;padding:.2em .6em;text-align:left}svg text{font:12px system-ui,sans-serif;"
    "text-anchor:middle}svg .address{font:11px ui-monospace,monospace;fill:#57606a}.own{fill:#c7e8cf;stroke:#2da44e}"
    ".freed{fill:#eaeef2;stroke:#8c959f;stroke-dasharray:4}.other{fill:#ddebff;stroke:#5b8def}.gap{stroke:#8c959f;"
    "stroke-dasharray:2 3}path.access,text.access{fill:#b3261e}.good{fill:#d8dee4}.bad{fill:#f0883e}"
    ".first{fill:#b3261e}figure{margin:.6em 0}figcaption{font-size:.9em;color:#57606a}";

static void write_element(struct gasan_text *out, const char *element, const char *class, const char *text) {
  gasan_text_print(out, "<%s", element);
  if (class)
    gasan_text_print(out, " class=\"%s\"", class);
  gasan_text_print(out, ">");
  gasan_escape(out, text);
  gasan_text_print(out, "</%s>", element);
}

static void write_place(const struct gasan_doc_frame *place, struct gasan_text *out) {
  if (place->file)
    gasan_escape(out, place->file);
  if (place->file && place->line)
    gasan_text_print(out, ":%u", place->line);
  if (place->file && place->column)
    gasan_text_print(out, ":%u", place->column);
  if (place->function) {
    gasan_text_print(out, "%s", place->file ? " in " : "");
    gasan_escape(out, place->function);
  }
}

/* Writes the blanks in front of the column. */
static void write_indent(const char *line, uint32_t column, struct gasan_text *out) {
  for (uint32_t i = 0; i + 1 < column && line[i]; i++)
    if (((unsigned char)line[i] & 0xc0) != 0x80)
      gasan_text_print(out, "%c", line[i] == '\t' ? '\t' : ' ');
}

static void write_source(const struct gasan_doc_report *report, struct gasan_text *out) {
  if (!report->source_count)
    return;
  gasan_text_print(out, "<pre>");
  for (uint32_t i = 0; i < report->source_count; i++) {
    const uint32_t line = report->source_line + i;
    const bool is_here = line == report->location.line;
    gasan_text_print(out, "%s<span class=\"number\">%5u </span>", is_here ? "<span class=\"here\">" : "", line);
    gasan_escape(out, report->source[i]);
    gasan_text_print(out, "%s", is_here ? "\n      <span class=\"caret\">" : "\n");
    if (!is_here)
      continue;
    write_indent(report->source[i], report->location.column, out);
    gasan_text_print(out, "^</span></span>");
  }
  gasan_text_print(out, "</pre>\n");
}

static void write_values(const struct gasan_doc_report *report, struct gasan_text *out) {
  if (!report->values)
    return;
  gasan_text_print(out, "<table class=\"values\">");
  for (const struct gasan_doc_value *value = report->values; value; value = value->next) {
    gasan_text_print(out, "<tr><td>");
    write_element(out, "code", NULL, value->expression);
    gasan_text_print(out, "</td><td>");
    write_element(out, "code", NULL, value->value);
    gasan_text_print(out, "</td></tr>");
  }
  gasan_text_print(out, "</table>\n");
}

static void write_stacks(const struct gasan_doc_report *report, struct gasan_text *out) {
  for (const struct gasan_doc_stack *stack = report->stacks; stack; stack = stack->next) {
    struct gasan_text title = {0};
    gasan_doc_describe_stack(stack, &title);
    gasan_text_print(out, "<details%s><summary>", stack == report->stacks ? " open=\"open\"" : "");
    gasan_escape(out, title.bytes);
    gasan_text_print(out, "</summary><ol start=\"0\">");
    for (const struct gasan_doc_frame *frame = stack->frames; frame; frame = frame->next) {
      gasan_text_print(out, "<li><code>");
      write_place(frame, out);
      gasan_text_print(out, "</code></li>");
    }
    gasan_text_print(out, "%s</ol></details>\n", stack->frames ? "" : "<li>no frame is known</li>");
    gasan_text_free(&title);
  }
}

static void write_processes(const struct gasan_document *document, const struct gasan_doc_report *report,
                            struct gasan_text *out) {
  gasan_text_print(out, "<p>Reported %llu time%s by", (ull)report->count, report->count == 1 ? "" : "s");
  for (uint32_t i = 0; i < report->process_count; i++) {
    const struct gasan_doc_process *process = &document->processes[report->processes[i]];
    gasan_text_print(out, "%s ", i ? "," : "");
    if (process->rank) {
      gasan_text_print(out, "rank ");
      gasan_escape(out, process->rank);
      gasan_text_print(out, ", ");
    }
    gasan_text_print(out, "process %lld", (long long)process->pid);
    if (process->host) {
      gasan_text_print(out, " on ");
      gasan_escape(out, process->host);
    }
  }
  gasan_text_print(out, ".</p>\n");
}

/* Writes the report's name in the page. Reports may have equal fingerprints, so it has its number, too. */
static void write_name(const struct gasan_doc_report *report, uint32_t number, struct gasan_text *out) {
  char fingerprint[17];
  gasan_doc_print_fingerprint(report, fingerprint);
  gasan_text_print(out, "r%s-%u", fingerprint, number);
}

static void write_report(const struct gasan_document *document, const struct gasan_doc_report *report, uint32_t number,
                         struct gasan_text *out) {
  struct gasan_text summary = {0};
  gasan_doc_describe(report, &summary);
  gasan_text_print(out, "<article id=\"");
  write_name(report, number, out);
  gasan_text_print(out, "\"><h2>");
  write_element(out, "span", "kind", report->kind);
  gasan_text_print(out, " ");
  gasan_text_print(out, "<code>");
  write_place(&report->location, out);
  gasan_text_print(out, "</code></h2>\n");
  write_element(out, "p", "summary", summary.bytes + strlen(report->kind) + 2);
  gasan_text_print(out, "\n");
  write_source(report, out);
  write_values(report, out);
  gasan_html_draw_memory(report, out);
  gasan_html_draw_block(report, out);
  write_stacks(report, out);
  gasan_text_print(out, "<details><summary>the report as text</summary>");
  write_element(out, "pre", NULL, report->text);
  gasan_text_print(out, "</details>\n");
  write_processes(document, report, out);
  gasan_text_print(out, "</article>\n");
  gasan_text_free(&summary);
}

static void write_contents(const struct gasan_document *document, struct gasan_text *out) {
  gasan_text_print(out, "<table class=\"contents\"><tr><th>error</th><th>place</th><th>times</th><th>processes</th>"
                        "</tr>\n");
  uint32_t number = 0;
  for (const struct gasan_doc_report *report = document->reports; report; report = report->next) {
    gasan_text_print(out, "<tr><td><a href=\"#");
    write_name(report, number++, out);
    gasan_text_print(out, "\">");
    gasan_escape(out, report->kind);
    gasan_text_print(out, "</a></td><td><code>");
    write_place(&report->location, out);
    gasan_text_print(out, "</code></td><td>%llu</td><td>%u</td></tr>\n", (ull)report->count, report->process_count);
  }
  gasan_text_print(out, "</table>\n");
}

void gasan_write_html(const struct gasan_document *document, struct gasan_text *out) {
  uint32_t count = 0;
  for (const struct gasan_doc_report *report = document->reports; report; report = report->next)
    count++;
  gasan_text_print(out,
                   "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head>"
                   "<meta charset=\"utf-8\"/><title>gasan: %u report%s</title><style>%s</style></head>\n<body>"
                   "<h1>gasan: %u different report%s of %u process%s</h1>\n",
                   count, count == 1 ? "" : "s", style, count, count == 1 ? "" : "s", document->process_count,
                   document->process_count == 1 ? "" : "es");
  if (count)
    write_contents(document, out);
  else
    gasan_text_print(out, "<p>There are no reports.</p>\n");
  uint32_t number = 0;
  for (const struct gasan_doc_report *report = document->reports; report; report = report->next)
    write_report(document, report, number++, out);
  gasan_text_print(out, "</body></html>\n");
}
