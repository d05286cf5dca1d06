/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes a document of JSON. Unknown members are ignored, so that a later gasan may add some. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "document/json.h"
#include "document/writers.h"

#define MOST_PROCESSES (1u << 20)

struct reader {
  struct gasan_arena *arena; /* of the texts that are read now */
  const char *wrong;         /* the first member with a wrong value; NULL: none */
  uint32_t process_count, first_process;
};

static void refuse(struct reader *reader, const char *name) {
  if (!reader->wrong)
    reader->wrong = name;
}

static const struct gasan_json_value *find(struct reader *reader, const struct gasan_json_value *object,
                                           const char *name, enum gasan_json_type type) {
  const struct gasan_json_value *value = gasan_json_member(object, name);
  if (value && value->type != type)
    refuse(reader, name);
  return value && value->type == type ? value : NULL;
}

static const struct gasan_json_value *first_of(struct reader *reader, const struct gasan_json_value *object,
                                               const char *name) {
  const struct gasan_json_value *list = find(reader, object, name, GASAN_JSON_ARRAY);
  return list ? list->first : NULL;
}

static const char *read_text(struct reader *reader, const struct gasan_json_value *object, const char *name) {
  const struct gasan_json_value *value = find(reader, object, name, GASAN_JSON_TEXT);
  return value ? gasan_arena_copy(reader->arena, value->text) : NULL;
}

static const char *need_text(struct reader *reader, const struct gasan_json_value *object, const char *name) {
  const char *text = read_text(reader, object, name);
  if (!text)
    refuse(reader, name);
  return text ? text : "";
}

/* Returns 0 if there is no such member. */
static uint64_t read_number(struct reader *reader, const struct gasan_json_value *object, const char *name,
                            uint64_t most) {
  const struct gasan_json_value *value = find(reader, object, name, GASAN_JSON_NUMBER);
  if (!value)
    return 0;
  if (!value->is_whole || value->is_negative || value->number > most) {
    refuse(reader, name);
    return 0;
  }
  return value->number;
}

static uint32_t read_small(struct reader *reader, const struct gasan_json_value *object, const char *name) {
  return (uint32_t)read_number(reader, object, name, UINT32_MAX);
}

static bool parse_hex(const char *text, uint64_t *number) {
  const size_t length = strlen(text);
  if (length < 3 || length > 18 || memcmp(text, "0x", 2) != 0 || strspn(text + 2, "0123456789abcdef") != length - 2)
    return false;
  *number = strtoull(text + 2, NULL, 16);
  return true;
}

/* Returns false if there is no such member. */
static bool read_hex(struct reader *reader, const struct gasan_json_value *object, const char *name, uint64_t *number) {
  const struct gasan_json_value *value = find(reader, object, name, GASAN_JSON_TEXT);
  if (!value || parse_hex(value->text, number))
    return value != NULL;
  refuse(reader, name);
  return false;
}

static bool read_three(struct reader *reader, const struct gasan_json_value *object, const char *name,
                       uint32_t three[3]) {
  const struct gasan_json_value *value = first_of(reader, object, name);
  if (!value)
    return false;
  for (int i = 0; i < 3; i++, value = value ? value->next : NULL) {
    if (!value || value->type != GASAN_JSON_NUMBER || !value->is_whole || value->is_negative ||
        value->number > UINT32_MAX) {
      refuse(reader, name);
      return false;
    }
    three[i] = (uint32_t)value->number;
  }
  if (value)
    refuse(reader, name);
  return true;
}

static void read_frame(struct reader *reader, const struct gasan_json_value *from, struct gasan_doc_frame *frame) {
  frame->function = read_text(reader, from, "function");
  frame->file = read_text(reader, from, "file");
  frame->module = read_text(reader, from, "module");
  frame->line = read_small(reader, from, "line");
  frame->column = read_small(reader, from, "column");
  read_hex(reader, from, "offset", &frame->offset);
  read_hex(reader, from, "address", &frame->address);
}

static enum gasan_doc_role read_role(struct reader *reader, const struct gasan_json_value *from) {
  const char *name = need_text(reader, from, "role");
  for (int role = 0; role < GASAN_DOC_ROLE_COUNT; role++)
    if (strcmp(gasan_doc_role_name((enum gasan_doc_role)role), name) == 0)
      return (enum gasan_doc_role)role;
  refuse(reader, "role");
  return GASAN_DOC_ACCESS;
}

static uint32_t count_elements(const struct gasan_json_value *first) {
  uint32_t count = 0;
  for (; first; first = first->next)
    count++;
  return count;
}

static void read_source(struct reader *reader, const struct gasan_json_value *from, struct gasan_doc_report *report) {
  const struct gasan_json_value *source = find(reader, from, "source", GASAN_JSON_OBJECT);
  const struct gasan_json_value *line = source ? first_of(reader, source, "lines") : NULL;
  if (!line)
    return;
  report->source_line = read_small(reader, source, "first_line");
  report->source = gasan_arena_allocate(reader->arena, count_elements(line) * sizeof *report->source);
  for (; line; line = line->next) {
    if (line->type != GASAN_JSON_TEXT) {
      refuse(reader, "lines");
      return;
    }
    report->source[report->source_count++] = gasan_arena_copy(reader->arena, line->text);
  }
}

static void read_values(struct reader *reader, const struct gasan_json_value *from, struct gasan_doc_report *report) {
  for (const struct gasan_json_value *at = first_of(reader, from, "values"); at; at = at->next) {
    struct gasan_doc_value *value = gasan_doc_add_value(report);
    value->expression = need_text(reader, at, "expression");
    value->value = need_text(reader, at, "value");
  }
}

static void read_block_threads(struct reader *reader, const struct gasan_json_value *from,
                               struct gasan_doc_report *report) {
  const struct gasan_json_value *at = first_of(reader, from, "block_threads");
  report->block_threads = gasan_arena_allocate(reader->arena, count_elements(at) * sizeof *report->block_threads);
  for (; at; at = at->next)
    if (at->type != GASAN_JSON_TEXT || !parse_hex(at->text, &report->block_threads[report->block_words++])) {
      refuse(reader, "block_threads");
      return;
    }
}

static void read_stack(struct reader *reader, const struct gasan_json_value *from, struct gasan_doc_report *report) {
  struct gasan_doc_stack *stack = gasan_doc_add_stack(report, read_role(reader, from));
  stack->has_host_thread = gasan_json_member(from, "host_thread") != NULL;
  stack->host_thread = read_small(reader, from, "host_thread");
  const struct gasan_json_value *thread = find(reader, from, "device_thread", GASAN_JSON_OBJECT);
  stack->has_device_thread = read_three(reader, thread, "thread", stack->thread);
  read_three(reader, thread, "block", stack->block);
  stack->lane = read_small(reader, thread, "lane");
  stack->kernel = read_text(reader, from, "kernel");
  stack->has_shape = read_three(reader, from, "grid_dim", stack->grid_dim);
  read_three(reader, from, "block_dim", stack->block_dim);
  stack->unchecked = read_text(reader, from, "unchecked");
  stack->count = read_number(reader, from, "count", UINT64_MAX);
  for (const struct gasan_json_value *frame = first_of(reader, from, "frames"); frame; frame = frame->next)
    read_frame(reader, frame, gasan_doc_add_frame(report, stack));
}

static void read_object(struct reader *reader, const struct gasan_json_value *from, struct gasan_doc_report *report) {
  struct gasan_doc_object *object = gasan_doc_add_object(report);
  object->type = need_text(reader, from, "type");
  object->name = read_text(reader, from, "name");
  object->relation = need_text(reader, from, "relation");
  object->unit = need_text(reader, from, "unit");
  object->has_base = read_hex(reader, from, "base", &object->base);
  object->size = read_number(reader, from, "size", UINT64_MAX);
  object->distance = read_number(reader, from, "distance", UINT64_MAX);
}

static void read_neighbours(struct reader *reader, const struct gasan_json_value *from,
                            struct gasan_doc_report *report) {
  for (const struct gasan_json_value *at = first_of(reader, from, "neighbours"); at; at = at->next) {
    struct gasan_doc_object *object = gasan_doc_add_neighbour(report);
    object->has_base = read_hex(reader, at, "base", &object->base);
    object->size = read_number(reader, at, "size", UINT64_MAX);
  }
}

static void read_access(struct reader *reader, const struct gasan_json_value *from, struct gasan_doc_report *report) {
  if (!from)
    return;
  report->has_access = true;
  report->operation = need_text(reader, from, "operation");
  report->has_access_address = read_hex(reader, from, "address", &report->access_address);
  report->has_size = gasan_json_member(from, "size") != NULL;
  report->size = read_number(reader, from, "size", UINT64_MAX);
  report->api = read_text(reader, from, "api");
  report->threads = read_number(reader, from, "threads", UINT64_MAX);
}

static void read_owners(struct reader *reader, const struct gasan_json_value *from, struct gasan_doc_report *report) {
  for (const struct gasan_json_value *value = first_of(reader, from, "processes"); value; value = value->next) {
    if (value->type != GASAN_JSON_NUMBER || !value->is_whole || value->is_negative ||
        value->number >= reader->process_count) {
      refuse(reader, "processes");
      return;
    }
    gasan_doc_name_process(report, reader->first_process + (uint32_t)value->number);
  }
}

static struct gasan_doc_report *read_report(struct reader *reader, const struct gasan_json_value *from) {
  struct gasan_doc_report *report = gasan_doc_create_report();
  reader->arena = &report->arena;
  report->kind = need_text(reader, from, "kind");
  report->title = need_text(reader, from, "title");
  report->text = need_text(reader, from, "text");
  report->count = read_number(reader, from, "count", UINT64_MAX);
  if (!report->count)
    refuse(reader, "count");
  read_owners(reader, from, report);
  const struct gasan_json_value *device = find(reader, from, "device", GASAN_JSON_OBJECT);
  report->device = device ? need_text(reader, device, "kind") : NULL;
  report->ordinal = (int)read_number(reader, device, "ordinal", INT32_MAX);
  report->has_address = read_hex(reader, from, "address", &report->address);
  read_access(reader, find(reader, from, "access", GASAN_JSON_OBJECT), report);
  const struct gasan_json_value *leak = find(reader, from, "leak", GASAN_JSON_OBJECT);
  report->leaked_bytes = read_number(reader, leak, "bytes", UINT64_MAX);
  report->leaked_objects = read_number(reader, leak, "objects", UINT64_MAX);
  read_frame(reader, find(reader, from, "location", GASAN_JSON_OBJECT), &report->location);
  read_neighbours(reader, from, report);
  read_source(reader, from, report);
  read_values(reader, from, report);
  read_block_threads(reader, from, report);
  for (const struct gasan_json_value *stack = first_of(reader, from, "stacks"); stack; stack = stack->next)
    read_stack(reader, stack, report);
  for (const struct gasan_json_value *object = first_of(reader, from, "objects"); object; object = object->next)
    read_object(reader, object, report);
  return report;
}

static void read_command(struct reader *reader, const struct gasan_json_value *from,
                         struct gasan_doc_process *process) {
  size_t count = 0;
  for (const struct gasan_json_value *value = first_of(reader, from, "command"); value; value = value->next)
    count++;
  process->command = gasan_arena_allocate(reader->arena, (count + 1) * sizeof *process->command);
  count = 0;
  for (const struct gasan_json_value *value = first_of(reader, from, "command"); value; value = value->next) {
    if (value->type == GASAN_JSON_TEXT)
      process->command[count++] = gasan_arena_copy(reader->arena, value->text);
    else
      refuse(reader, "command");
  }
}

static void read_process(struct reader *reader, const struct gasan_json_value *from,
                         struct gasan_doc_process *process) {
  *process = (struct gasan_doc_process){.pid = (int64_t)read_number(reader, from, "pid", INT64_MAX),
                                        .host = read_text(reader, from, "host"),
                                        .directory = read_text(reader, from, "directory"),
                                        .rank = read_text(reader, from, "rank"),
                                        .has_exit_code = gasan_json_member(from, "exit_code") != NULL,
                                        .exit_code = (int)read_number(reader, from, "exit_code", 255)};
  read_command(reader, from, process);
}

static void read_processes(struct reader *reader, const struct gasan_json_value *root,
                           struct gasan_document *document) {
  reader->arena = &document->arena;
  reader->first_process = document->process_count;
  for (const struct gasan_json_value *value = first_of(reader, root, "processes"); value; value = value->next) {
    if (reader->process_count >= MOST_PROCESSES) {
      refuse(reader, "processes");
      return;
    }
    read_process(reader, value, gasan_doc_create_process(document));
    reader->process_count++;
  }
}

/* Returns why the value is no document of this version, or NULL. */
static const char *check_version(const struct gasan_json_value *root) {
  const struct gasan_json_value *format = gasan_json_member(root, "format"),
                                *version = gasan_json_member(root, "version");
  if (!format || format->type != GASAN_JSON_TEXT || strcmp(format->text, GASAN_DOCUMENT_FORMAT) != 0)
    return "it is no file of report_format=json";
  if (!version || version->type != GASAN_JSON_NUMBER || version->number != GASAN_DOCUMENT_VERSION)
    return "it has another version of the format; use the gasan that wrote it";
  return NULL;
}

static void free_reports(struct gasan_doc_report *report) {
  while (report) {
    struct gasan_doc_report *next = report->next;
    gasan_doc_free_report(report);
    report = next;
  }
}

static bool read_document(struct gasan_document *document, const struct gasan_json_value *root, char *message,
                          size_t message_size) {
  struct reader reader = {.arena = &document->arena};
  struct gasan_doc_report *first = NULL, **last = &first;
  const uint32_t processes = document->process_count;
  read_processes(&reader, root, document);
  for (const struct gasan_json_value *value = first_of(&reader, root, "reports"); value; value = value->next) {
    *last = read_report(&reader, value);
    last = &(*last)->next;
  }
  if (reader.wrong) {
    snprintf(message, message_size, "the member \"%s\" is missing or has a wrong value", reader.wrong);
    free_reports(first);
    document->process_count = processes;
    return false;
  }
  while (first) {
    struct gasan_doc_report *next = first->next;
    first->next = NULL;
    gasan_doc_add_report(document, first);
    first = next;
  }
  reader.arena = &document->arena;
  if (!document->version)
    document->version = read_text(&reader, find(&reader, root, "tool", GASAN_JSON_OBJECT), "version");
  return true;
}

bool gasan_read_json(struct gasan_document *document, const char *text, size_t length, char *message,
                     size_t message_size) {
  struct gasan_arena arena = {0};
  const struct gasan_json_value *root = gasan_json_parse(&arena, text, length, message, message_size);
  const char *why = root ? check_version(root) : NULL;
  if (why)
    snprintf(message, message_size, "%s", why);
  const bool read = root && !why && read_document(document, root, message, message_size);
  gasan_arena_free(&arena);
  return read;
}
