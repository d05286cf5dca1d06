/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "document/json.h"
#include "document/writers.h"

static void write_frame(struct gasan_json_writer *json, const char *name, const struct gasan_doc_frame *frame) {
  gasan_json_open_flat(json, name, '{');
  gasan_json_text(json, "function", frame->function);
  gasan_json_text(json, "file", frame->file);
  if (frame->line)
    gasan_json_number(json, "line", frame->line);
  if (frame->column)
    gasan_json_number(json, "column", frame->column);
  gasan_json_text(json, "module", frame->module);
  if (frame->module)
    gasan_json_hex(json, "offset", frame->offset);
  if (frame->address)
    gasan_json_hex(json, "address", frame->address);
  gasan_json_close(json, '}');
}

static void write_stack(struct gasan_json_writer *json, const struct gasan_doc_stack *stack) {
  gasan_json_open(json, NULL, '{');
  gasan_json_text(json, "role", gasan_doc_role_name(stack->role));
  if (stack->has_host_thread)
    gasan_json_number(json, "host_thread", stack->host_thread);
  if (stack->has_device_thread) {
    gasan_json_open_flat(json, "device_thread", '{');
    gasan_json_three(json, "thread", stack->thread);
    gasan_json_three(json, "block", stack->block);
    gasan_json_number(json, "lane", stack->lane);
    gasan_json_close(json, '}');
  }
  gasan_json_text(json, "kernel", stack->kernel);
  if (stack->has_shape) {
    gasan_json_three(json, "grid_dim", stack->grid_dim);
    gasan_json_three(json, "block_dim", stack->block_dim);
  }
  gasan_json_text(json, "unchecked", stack->unchecked);
  if (stack->count)
    gasan_json_number(json, "count", stack->count);
  gasan_json_open(json, "frames", '[');
  for (const struct gasan_doc_frame *frame = stack->frames; frame; frame = frame->next)
    write_frame(json, NULL, frame);
  gasan_json_close(json, ']');
  gasan_json_close(json, '}');
}

static void write_object(struct gasan_json_writer *json, const struct gasan_doc_object *object) {
  gasan_json_open_flat(json, NULL, '{');
  gasan_json_text(json, "type", object->type);
  gasan_json_text(json, "name", object->name);
  if (object->has_base)
    gasan_json_hex(json, "base", object->base);
  gasan_json_number(json, "size", object->size);
  gasan_json_text(json, "relation", object->relation);
  gasan_json_number(json, "distance", object->distance);
  gasan_json_text(json, "unit", object->unit);
  gasan_json_close(json, '}');
}

static void write_neighbours(struct gasan_json_writer *json, const struct gasan_doc_report *report) {
  gasan_json_open(json, "neighbours", '[');
  for (const struct gasan_doc_object *object = report->neighbours; object; object = object->next) {
    gasan_json_open_flat(json, NULL, '{');
    gasan_json_hex(json, "base", object->base);
    gasan_json_number(json, "size", object->size);
    gasan_json_close(json, '}');
  }
  gasan_json_close(json, ']');
}

static void write_access(struct gasan_json_writer *json, const struct gasan_doc_report *report) {
  gasan_json_open_flat(json, "access", '{');
  gasan_json_text(json, "operation", report->operation);
  if (report->has_access_address)
    gasan_json_hex(json, "address", report->access_address);
  if (report->has_size)
    gasan_json_number(json, "size", report->size);
  gasan_json_text(json, "api", report->api);
  if (report->threads)
    gasan_json_number(json, "threads", report->threads);
  gasan_json_close(json, '}');
}

static void write_device(struct gasan_json_writer *json, const struct gasan_doc_report *report) {
  gasan_json_open_flat(json, "device", '{');
  gasan_json_text(json, "kind", report->device);
  gasan_json_signed(json, "ordinal", report->ordinal);
  gasan_json_close(json, '}');
}

static void write_leak(struct gasan_json_writer *json, const struct gasan_doc_report *report) {
  gasan_json_open_flat(json, "leak", '{');
  gasan_json_number(json, "bytes", report->leaked_bytes);
  gasan_json_number(json, "objects", report->leaked_objects);
  gasan_json_close(json, '}');
}

static void write_source(struct gasan_json_writer *json, const struct gasan_doc_report *report) {
  gasan_json_open(json, "source", '{');
  gasan_json_number(json, "first_line", report->source_line);
  gasan_json_open(json, "lines", '[');
  for (uint32_t i = 0; i < report->source_count; i++)
    gasan_json_text(json, NULL, report->source[i]);
  gasan_json_close(json, ']');
  gasan_json_close(json, '}');
}

static void write_values(struct gasan_json_writer *json, const struct gasan_doc_report *report) {
  gasan_json_open(json, "values", '[');
  for (const struct gasan_doc_value *value = report->values; value; value = value->next) {
    gasan_json_open_flat(json, NULL, '{');
    gasan_json_text(json, "expression", value->expression);
    gasan_json_text(json, "value", value->value);
    gasan_json_close(json, '}');
  }
  gasan_json_close(json, ']');
}

static void write_block_threads(struct gasan_json_writer *json, const struct gasan_doc_report *report) {
  gasan_json_open_flat(json, "block_threads", '[');
  for (uint32_t i = 0; i < report->block_words; i++)
    gasan_json_hex(json, NULL, report->block_threads[i]);
  gasan_json_close(json, ']');
}

static void write_report(struct gasan_json_writer *json, const struct gasan_doc_report *report) {
  char fingerprint[17];
  gasan_doc_print_fingerprint(report, fingerprint);
  gasan_json_open(json, NULL, '{');
  gasan_json_text(json, "kind", report->kind);
  gasan_json_text(json, "title", report->title);
  gasan_json_text(json, "fingerprint", fingerprint);
  gasan_json_number(json, "count", report->count);
  gasan_json_open_flat(json, "processes", '[');
  for (uint32_t i = 0; i < report->process_count; i++)
    gasan_json_number(json, NULL, report->processes[i]);
  gasan_json_close(json, ']');
  if (report->device)
    write_device(json, report);
  if (report->has_address)
    gasan_json_hex(json, "address", report->address);
  if (report->has_access)
    write_access(json, report);
  if (report->leaked_objects)
    write_leak(json, report);
  if (report->location.file)
    write_frame(json, "location", &report->location);
  if (report->source_count)
    write_source(json, report);
  if (report->values)
    write_values(json, report);
  if (report->block_words)
    write_block_threads(json, report);
  gasan_json_open(json, "stacks", '[');
  for (const struct gasan_doc_stack *stack = report->stacks; stack; stack = stack->next)
    write_stack(json, stack);
  gasan_json_close(json, ']');
  gasan_json_open(json, "objects", '[');
  for (const struct gasan_doc_object *object = report->objects; object; object = object->next)
    write_object(json, object);
  gasan_json_close(json, ']');
  if (report->neighbours)
    write_neighbours(json, report);
  gasan_json_text(json, "text", report->text);
  gasan_json_close(json, '}');
}

static void write_process(struct gasan_json_writer *json, const struct gasan_doc_process *process) {
  gasan_json_open(json, NULL, '{');
  gasan_json_signed(json, "pid", process->pid);
  gasan_json_text(json, "host", process->host);
  gasan_json_text(json, "directory", process->directory);
  gasan_json_text(json, "rank", process->rank);
  gasan_json_open_flat(json, "command", '[');
  for (const char **argument = process->command; argument && *argument; argument++)
    gasan_json_text(json, NULL, *argument);
  gasan_json_close(json, ']');
  if (process->has_exit_code)
    gasan_json_signed(json, "exit_code", process->exit_code);
  gasan_json_close(json, '}');
}

void gasan_write_json(const struct gasan_document *document, struct gasan_text *out) {
  struct gasan_json_writer json = {.text = out};
  gasan_json_open(&json, NULL, '{');
  gasan_json_text(&json, "format", GASAN_DOCUMENT_FORMAT);
  gasan_json_number(&json, "version", GASAN_DOCUMENT_VERSION);
  gasan_json_open_flat(&json, "tool", '{');
  gasan_json_text(&json, "name", "gasan");
  gasan_json_text(&json, "version", document->version);
  gasan_json_close(&json, '}');
  gasan_json_open(&json, "processes", '[');
  for (uint32_t i = 0; i < document->process_count; i++)
    write_process(&json, &document->processes[i]);
  gasan_json_close(&json, ']');
  gasan_json_open(&json, "reports", '[');
  for (const struct gasan_doc_report *report = document->reports; report; report = report->next)
    write_report(&json, report);
  gasan_json_close(&json, ']');
  gasan_json_close(&json, '}');
}
