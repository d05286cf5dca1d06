/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SARIF 2.1.0, with the parts that GitHub, GitLab and VS Code show. Files below the working directory have URIs
 * relative to it, since GitHub finds a file by its path in the repository. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "document/describe_report.h"
#include "document/json.h"
#include "document/writers.h"

#define ROOT "%SRCROOT%"

struct sarif {
  struct gasan_json_writer json;
  const struct gasan_document *document;
  const char *directory; /* NULL: not known */
  struct gasan_text scratch;
  const char **kinds; /* of the reports, each once */
  uint32_t kind_count;
  const struct gasan_doc_report *shown; /* whose lines the location shows; NULL: none */
};

static void write_message(struct sarif *sarif, const char *name, const char *text) {
  gasan_json_open_flat(&sarif->json, name, '{');
  gasan_json_text(&sarif->json, "text", text);
  gasan_json_close(&sarif->json, '}');
}

/* Adds a path as a part of a URI. */
static void add_encoded(struct gasan_text *out, const char *path) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@";
  for (; *path; path++)
    if (strchr(plain, *path))
      gasan_text_add(out, path, 1);
    else
      gasan_text_print(out, "%%%02X", (unsigned char)*path);
}

static void write_uri(struct sarif *sarif, const char *file) {
  const size_t length = sarif->directory ? strlen(sarif->directory) : 0;
  const bool is_below = length && strncmp(file, sarif->directory, length) == 0 && file[length] == '/';
  const bool is_relative = is_below || *file != '/';
  gasan_text_clear(&sarif->scratch);
  if (!is_relative)
    gasan_text_print(&sarif->scratch, "file://");
  add_encoded(&sarif->scratch, is_below ? file + length + 1 : file);
  gasan_json_open_flat(&sarif->json, "artifactLocation", '{');
  gasan_json_text(&sarif->json, "uri", sarif->scratch.bytes);
  if (is_relative && sarif->directory)
    gasan_json_text(&sarif->json, "uriBaseId", ROOT);
  gasan_json_close(&sarif->json, '}');
}

/* Writes the lines around the place of a report. */
static void write_context(struct sarif *sarif, const struct gasan_doc_report *report) {
  struct gasan_json_writer *json = &sarif->json;
  gasan_text_clear(&sarif->scratch);
  for (uint32_t i = 0; i < report->source_count; i++)
    gasan_text_print(&sarif->scratch, "%s\n", report->source[i]);
  gasan_json_open(json, "contextRegion", '{');
  gasan_json_number(json, "startLine", report->source_line);
  gasan_json_number(json, "endLine", report->source_line + report->source_count - 1);
  gasan_json_open(json, "snippet", '{');
  gasan_json_text(json, "text", sarif->scratch.bytes);
  gasan_json_close(json, '}');
  gasan_json_close(json, '}');
}

/* Writes a location. A frame without a file has a logical location only: the function, or the place in the
 * module. message NULL: none. */
static void write_location(struct sarif *sarif, const char *name, const struct gasan_doc_frame *frame,
                           const char *message) {
  struct gasan_json_writer *json = &sarif->json;
  gasan_json_open_flat(json, name, '{');
  if (frame->file) {
    gasan_json_open(json, "physicalLocation", '{');
    write_uri(sarif, frame->file);
    if (frame->line) {
      gasan_json_open(json, "region", '{');
      gasan_json_number(json, "startLine", frame->line);
      if (frame->column)
        gasan_json_number(json, "startColumn", frame->column);
      gasan_json_close(json, '}');
    }
    if (sarif->shown && sarif->shown->source_count)
      write_context(sarif, sarif->shown);
    gasan_json_close(json, '}');
  }
  if (frame->function || !frame->file) {
    char code[512];
    snprintf(code, sizeof code, "%s+0x%llx", frame->module ? frame->module : "unknown code",
             (unsigned long long)(frame->module ? frame->offset : frame->address));
    gasan_json_open(json, "logicalLocations", '[');
    gasan_json_open(json, NULL, '{');
    gasan_json_text(json, "fullyQualifiedName", frame->function ? frame->function : code);
    gasan_json_text(json, "kind", "function");
    gasan_json_close(json, '}');
    gasan_json_close(json, ']');
  }
  if (message)
    write_message(sarif, "message", message);
  gasan_json_close(json, '}');
}

static const char *describe_stack(struct sarif *sarif, const struct gasan_doc_stack *stack) {
  gasan_text_clear(&sarif->scratch);
  gasan_doc_describe_stack(stack, &sarif->scratch);
  return sarif->scratch.bytes;
}

static void write_stack(struct sarif *sarif, const struct gasan_doc_stack *stack) {
  struct gasan_json_writer *json = &sarif->json;
  if (!stack->frames)
    return;
  gasan_json_open(json, NULL, '{');
  write_message(sarif, "message", describe_stack(sarif, stack));
  gasan_json_open(json, "frames", '[');
  for (const struct gasan_doc_frame *frame = stack->frames; frame; frame = frame->next) {
    gasan_json_open_flat(json, NULL, '{');
    write_location(sarif, "location", frame, NULL);
    gasan_json_text(json, "module", frame->module);
    gasan_json_close(json, '}');
  }
  gasan_json_close(json, ']');
  gasan_json_close(json, '}');
}

/* In the order in which a program does it. */
static const enum gasan_doc_role steps[] = {GASAN_DOC_HEAP,    GASAN_DOC_ALLOCATION,  GASAN_DOC_CREATION,
                                            GASAN_DOC_FREE,    GASAN_DOC_DESTRUCTION, GASAN_DOC_GRAPH_NODE,
                                            GASAN_DOC_SUSPECT, GASAN_DOC_LAUNCH,      GASAN_DOC_WAITING,
                                            GASAN_DOC_ACCESS,  GASAN_DOC_DETECTION};

/* Writes the steps that lead to the bug: one line for each stack. */
static void write_flow(struct sarif *sarif, const struct gasan_doc_report *report) {
  struct gasan_json_writer *json = &sarif->json;
  gasan_json_open(json, "codeFlows", '[');
  gasan_json_open(json, NULL, '{');
  gasan_json_open(json, "threadFlows", '[');
  gasan_json_open(json, NULL, '{');
  gasan_json_open(json, "locations", '[');
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    const struct gasan_doc_stack *stack = gasan_doc_find_stack(report, steps[i]);
    const struct gasan_doc_frame *frame = gasan_doc_find_frame(stack);
    if (!frame)
      continue;
    struct gasan_text text = {0};
    gasan_doc_describe_stack(stack, &text);
    gasan_json_open_flat(json, NULL, '{');
    write_location(sarif, "location", frame, text.bytes);
    gasan_json_close(json, '}');
    gasan_text_free(&text);
  }
  gasan_json_close(json, ']');
  gasan_json_close(json, '}');
  gasan_json_close(json, ']');
  gasan_json_close(json, '}');
  gasan_json_close(json, ']');
}

static bool has_flow(const struct gasan_doc_report *report) {
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (gasan_doc_find_frame(gasan_doc_find_stack(report, steps[i])))
      return true;
  return false;
}

/* GitHub needs a location. A report without a line gets the program's file. */
static void write_locations(struct sarif *sarif, const struct gasan_doc_report *report) {
  struct gasan_doc_frame location = report->location;
  const struct gasan_doc_process *process =
      report->process_count ? &sarif->document->processes[report->processes[0]] : NULL;
  if (!location.file)
    location.file = process && process->command && process->command[0] ? process->command[0] : "unknown";
  gasan_json_open(&sarif->json, "locations", '[');
  sarif->shown = report;
  write_location(sarif, NULL, &location, NULL);
  sarif->shown = NULL;
  gasan_json_close(&sarif->json, ']');
}

/* Returns the number of the kind among the kinds of the document; adds a new one. */
static uint32_t number_kind(struct sarif *sarif, const char *kind) {
  uint32_t number = 0;
  while (number < sarif->kind_count && strcmp(sarif->kinds[number], kind) != 0)
    number++;
  if (number < sarif->kind_count)
    return number;
  const char **more = realloc(sarif->kinds, (number + 1) * sizeof *more);
  GASAN_CHECK(more);
  sarif->kinds = more;
  sarif->kinds[number] = kind;
  sarif->kind_count++;
  return number;
}

static void write_result(struct sarif *sarif, const struct gasan_doc_report *report) {
  struct gasan_json_writer *json = &sarif->json;
  char fingerprint[17];
  gasan_doc_print_fingerprint(report, fingerprint);
  gasan_json_open(json, NULL, '{');
  gasan_json_text(json, "ruleId", report->kind);
  gasan_json_number(json, "ruleIndex", number_kind(sarif, report->kind));
  gasan_json_text(json, "level", "error");
  gasan_text_clear(&sarif->scratch);
  gasan_doc_describe(report, &sarif->scratch);
  write_message(sarif, "message", sarif->scratch.bytes);
  write_locations(sarif, report);
  gasan_json_open_flat(json, "partialFingerprints", '{');
  gasan_json_text(json, "gasan/v1", fingerprint);
  gasan_json_close(json, '}');
  gasan_json_number(json, "occurrenceCount", report->count);
  if (has_flow(report))
    write_flow(sarif, report);
  gasan_json_open(json, "stacks", '[');
  for (const struct gasan_doc_stack *stack = report->stacks; stack; stack = stack->next)
    write_stack(sarif, stack);
  gasan_json_close(json, ']');
  gasan_json_open(json, "properties", '{');
  gasan_json_text(json, "report", report->text);
  gasan_json_close(json, '}');
  gasan_json_close(json, '}');
}

static void write_rule(struct sarif *sarif, const char *kind) {
  struct gasan_json_writer *json = &sarif->json;
  gasan_json_open(json, NULL, '{');
  gasan_json_text(json, "id", kind);
  gasan_json_text(json, "name", kind);
  write_message(sarif, "shortDescription", gasan_doc_explain_kind(kind));
  write_message(sarif, "fullDescription", gasan_doc_explain_kind(kind));
  gasan_text_clear(&sarif->scratch);
  gasan_text_print(&sarif->scratch, "%s docs/reports.md of gasan explains how to fix it.",
                   gasan_doc_explain_kind(kind));
  write_message(sarif, "help", sarif->scratch.bytes);
  gasan_json_open_flat(json, "defaultConfiguration", '{');
  gasan_json_text(json, "level", "error");
  gasan_json_close(json, '}');
  gasan_json_open_flat(json, "properties", '{');
  gasan_json_text(json, "precision", "very-high");
  gasan_json_text(json, "problem.severity", "error");
  gasan_json_open(json, "tags", '[');
  gasan_json_text(json, NULL, "memory-safety");
  gasan_json_text(json, NULL, "CUDA");
  gasan_json_close(json, ']');
  gasan_json_close(json, '}');
  gasan_json_close(json, '}');
}

static void write_tool(struct sarif *sarif) {
  struct gasan_json_writer *json = &sarif->json;
  gasan_json_open(json, "tool", '{');
  gasan_json_open(json, "driver", '{');
  gasan_json_text(json, "name", "gasan");
  gasan_json_text(json, "version", sarif->document->version);
  gasan_json_open(json, "rules", '[');
  for (const struct gasan_doc_report *report = sarif->document->reports; report; report = report->next)
    number_kind(sarif, report->kind);
  for (uint32_t i = 0; i < sarif->kind_count; i++)
    write_rule(sarif, sarif->kinds[i]);
  gasan_json_close(json, ']');
  gasan_json_close(json, '}');
  gasan_json_close(json, '}');
}

static void write_folder(struct sarif *sarif, const char *name, const char *directory) {
  gasan_text_clear(&sarif->scratch);
  gasan_text_print(&sarif->scratch, "file://");
  add_encoded(&sarif->scratch, directory);
  gasan_text_print(&sarif->scratch, "/");
  gasan_json_open_flat(&sarif->json, name, '{');
  gasan_json_text(&sarif->json, "uri", sarif->scratch.bytes);
  gasan_json_close(&sarif->json, '}');
}

/* The run was successful: the tool exists for processes that a report has ended. */
static void write_invocation(struct sarif *sarif, const struct gasan_doc_process *process) {
  struct gasan_json_writer *json = &sarif->json;
  gasan_json_open(json, NULL, '{');
  gasan_json_boolean(json, "executionSuccessful", true);
  gasan_json_signed(json, "processId", process->pid);
  if (process->has_exit_code)
    gasan_json_signed(json, "exitCode", process->exit_code);
  gasan_json_text(json, "machine", process->host);
  if (process->directory)
    write_folder(sarif, "workingDirectory", process->directory);
  if (process->command && process->command[0]) {
    gasan_json_open_flat(json, "executableLocation", '{');
    gasan_text_clear(&sarif->scratch);
    add_encoded(&sarif->scratch, process->command[0]);
    gasan_json_text(json, "uri", sarif->scratch.bytes);
    gasan_json_close(json, '}');
    gasan_json_open_flat(json, "arguments", '[');
    for (const char **argument = process->command + 1; *argument; argument++)
      gasan_json_text(json, NULL, *argument);
    gasan_json_close(json, ']');
  }
  gasan_json_close(json, '}');
}

void gasan_write_sarif(const struct gasan_document *document, struct gasan_text *out) {
  struct sarif sarif = {.json = {.text = out}, .document = document};
  struct gasan_json_writer *json = &sarif.json;
  if (document->root)
    sarif.directory = document->root;
  else if (document->process_count)
    sarif.directory = document->processes[0].directory;
  gasan_json_open(json, NULL, '{');
  gasan_json_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  gasan_json_text(json, "version", "2.1.0");
  gasan_json_open(json, "runs", '[');
  gasan_json_open(json, NULL, '{');
  write_tool(&sarif);
  gasan_json_open(json, "invocations", '[');
  for (uint32_t i = 0; i < document->process_count; i++)
    write_invocation(&sarif, &document->processes[i]);
  gasan_json_close(json, ']');
  if (sarif.directory) {
    gasan_json_open(json, "originalUriBaseIds", '{');
    write_folder(&sarif, ROOT, sarif.directory);
    gasan_json_close(json, '}');
  }
  gasan_json_open(json, "results", '[');
  for (const struct gasan_doc_report *report = document->reports; report; report = report->next)
    write_result(&sarif, report);
  gasan_json_close(json, ']');
  gasan_json_close(json, '}');
  gasan_json_close(json, ']');
  gasan_json_close(json, '}');
  gasan_text_free(&sarif.scratch);
  free(sarif.kinds);
}
