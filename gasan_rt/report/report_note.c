/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_note.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "document/text.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_file.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* All under the report lock. */
static struct gasan_document document; /* the reports of this process so far */
static pid_t owner;                    /* the process of the document; 0: there is none */
static bool has_changed;               /* the files do not have all counts */
static struct gasan_doc_report *current;
static struct gasan_doc_stack *stack;
static struct gasan_text printed;   /* by the current report */
static struct gasan_text unwritten; /* by the reports that are in no file yet */

static const char *copy(const char *text) {
  return text && *text ? gasan_arena_copy(&current->arena, text) : NULL;
}

static void copy_frame(const struct gasan_printed_frame *from, struct gasan_doc_frame *to) {
  to->function = copy(from->function);
  to->file = copy(from->file);
  to->module = copy(from->module);
  to->line = from->line > 0 ? (uint32_t)from->line : 0;
  to->column = from->column > 0 ? (uint32_t)from->column : 0;
  to->address = from->address;
  to->offset = from->offset;
}

/* Adds text without the escape sequences of colours. */
static void observe_text(const char *text) {
  while (*text) {
    const size_t plain = strcspn(text, "\033");
    gasan_text_add(&printed, text, plain);
    text += plain;
    if (*text)
      text += strcspn(text, "m");
    text += *text == 'm';
  }
}

static void observe_frame(const struct gasan_printed_frame *frame) {
  if (!stack)
    gasan_note_stack(GASAN_DOC_ACCESS);
  copy_frame(frame, gasan_doc_add_frame(current, stack));
}

static void observe_summary(const struct gasan_printed_frame *frame) {
  copy_frame(frame, &current->location);
}

static const struct gasan_report_observer observer = {
    .text = observe_text, .frame = observe_frame, .summary = observe_summary};

/* Begins the document of this process. The child of a fork does not repeat its parent's reports. */
static void begin_document(void) {
  if (owner == getpid())
    return;
  gasan_doc_free(&document);
  has_changed = false;
  owner = getpid();
  document.version = GASAN_VERSION;
  gasan_doc_add_this_process(&document);
}

void gasan_note_begin(const char *kind, const char *title) {
  if (!gasan_report_has_files())
    return;
  begin_document();
  GASAN_CHECK(!current);
  current = gasan_doc_create_report();
  current->kind = copy(kind);
  current->title = gasan_arena_copy(&current->arena, title);
  gasan_doc_name_process(current, 0);
  stack = NULL;
  gasan_text_clear(&printed);
  gasan_report_observe(&observer, !gasan_report_has_format("text"));
}

/* Leaks have no summary. */
static void find_location(void) {
  for (const struct gasan_doc_stack *at = current->stacks; at && !current->location.file; at = at->next) {
    const struct gasan_doc_frame *frame = gasan_doc_find_frame(at);
    if (frame)
      current->location = *frame;
  }
}

static struct gasan_doc_report *add_current(void) {
  find_location();
  current->text = gasan_arena_copy(&current->arena, printed.bytes ? printed.bytes : "");
  gasan_text_add(&unwritten, printed.bytes, printed.length);
  struct gasan_doc_report *kept = gasan_doc_add_report(&document, current);
  current = NULL;
  stack = NULL;
  return kept;
}

void gasan_note_add(void) {
  if (current)
    add_current();
}

static void name_file(const char *kind) {
  char path[PATH_MAX];
  gasan_report_file_name(gasan_report_has_format("json") ? ".json" : ".sarif", path, sizeof path);
  gasan_rt_warn("%s, in %s", kind, path);
}

struct gasan_doc_report *gasan_note_end(bool dies) {
  const bool is_quiet = !gasan_report_has_format("text");
  char kind[64];
  if (!current)
    return NULL;
  gasan_report_observe(NULL, false);
  snprintf(kind, sizeof kind, "%s", current->kind);
  struct gasan_doc_report *kept = add_current();
  if (dies) {
    document.processes[0].has_exit_code = true;
    document.processes[0].exit_code = gasan_exitcode();
  }
  const bool written = gasan_report_write_files(&document);
  if (is_quiet && !written)
    gasan_printf("%s", unwritten.bytes);
  gasan_text_clear(&unwritten);
  if (!is_quiet || !written)
    return kept;
  name_file(kind);
  gasan_report_observe(NULL, dies);
  return kept;
}

static bool is_power_of_two(uint64_t number) {
  return (number & (number - 1)) == 0;
}

/* Writes the files seldom, because a process may end without its exit handlers, and may repeat an error often. */
void gasan_note_repeat(struct gasan_doc_report *report, uint64_t times, uint64_t threads) {
  gasan_report_begin();
  if (owner == getpid()) { /* else the report is the parent's */
    report->count += times;
    report->threads += threads;
    has_changed = !is_power_of_two(report->count);
    if (!has_changed)
      gasan_report_write_files(&document);
  }
  gasan_report_end();
}

void gasan_note_finish(void) {
  if (!gasan_report_has_files())
    return;
  gasan_report_begin();
  begin_document();
  if (!document.reports || has_changed)
    gasan_report_write_files(&document);
  gasan_report_end();
}

void gasan_note_device(const struct gasan_rt_device *state) {
  if (!current || !state)
    return;
  current->device = copy(state->device->kind->name);
  current->ordinal = state->device->ordinal;
}

void gasan_note_address(uint64_t address) {
  if (!current)
    return;
  current->has_address = true;
  current->address = address;
}

void gasan_note_access(const char *operation) {
  static const char *const known[][2] = {{"READ", "read"}, {"WRITE", "write"}, {"CALL", "call"}, {"FREE", "free"}};
  if (!current)
    return;
  current->has_access = true;
  current->operation = "unknown";
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i][0], operation) == 0)
      current->operation = known[i][1];
}

void gasan_note_access_size(uint64_t size) {
  if (!current)
    return;
  current->has_size = true;
  current->size = size;
}

void gasan_note_access_range(uint64_t address, uint64_t size) {
  if (!current)
    return;
  gasan_note_access_size(size);
  current->has_access_address = true;
  current->access_address = address;
}

void gasan_note_api(const char *api) {
  if (current)
    current->api = copy(api);
}

void gasan_note_threads(uint64_t threads) {
  if (current)
    current->threads = threads;
}

void gasan_note_leak(uint64_t bytes, uint64_t objects) {
  if (!current)
    return;
  current->leaked_bytes = bytes;
  current->leaked_objects = objects;
}

void gasan_note_source(uint32_t first_line, uint32_t count, const char *const *lines) {
  if (!current || !count)
    return;
  current->source_line = first_line;
  current->source_count = count;
  current->source = gasan_arena_allocate(&current->arena, count * sizeof *current->source);
  for (uint32_t i = 0; i < count; i++)
    current->source[i] = gasan_arena_copy(&current->arena, lines[i]);
}

void gasan_note_value(const char *expression, const char *value) {
  if (!current)
    return;
  struct gasan_doc_value *added = gasan_doc_add_value(current);
  added->expression = copy(expression);
  added->value = copy(value);
}

void gasan_note_block_threads(const uint64_t *words, uint32_t count) {
  if (!current)
    return;
  current->block_threads = gasan_arena_allocate(&current->arena, count * sizeof *words);
  current->block_words = count;
  memcpy(current->block_threads, words, count * sizeof *words);
}

void gasan_note_stack(enum gasan_doc_role role) {
  if (current)
    stack = gasan_doc_add_stack(current, role);
}

void gasan_note_host_stack(enum gasan_doc_role role, uint32_t thread) {
  if (!current)
    return;
  gasan_note_stack(role);
  stack->has_host_thread = true;
  stack->host_thread = thread;
}

void gasan_note_device_thread(const uint32_t thread[3], const uint32_t block[3], uint32_t lane) {
  if (!current)
    return;
  if (!stack)
    gasan_note_stack(GASAN_DOC_ACCESS);
  stack->has_device_thread = true;
  memcpy(stack->thread, thread, sizeof stack->thread);
  memcpy(stack->block, block, sizeof stack->block);
  stack->lane = lane;
}

void gasan_note_kernel(const char *kernel) {
  if (current && stack)
    stack->kernel = copy(kernel);
}

void gasan_note_launch(const char *kernel, uint32_t host_thread) {
  if (!current || !stack)
    return;
  gasan_note_kernel(kernel);
  stack->has_host_thread = true;
  stack->host_thread = host_thread;
}

void gasan_note_shape(const uint32_t grid_dim[3], const uint32_t block_dim[3]) {
  if (!current || !stack)
    return;
  stack->has_shape = true;
  memcpy(stack->grid_dim, grid_dim, sizeof stack->grid_dim);
  memcpy(stack->block_dim, block_dim, sizeof stack->block_dim);
}

void gasan_note_unchecked(const char *why) {
  if (current && stack)
    stack->unchecked = copy(why);
}

void gasan_note_count(uint64_t count) {
  if (current && stack)
    stack->count = count;
}

void gasan_note_object(const char *type, const char *name, uint64_t base, uint64_t size, uint64_t address) {
  if (!current)
    return;
  struct gasan_doc_object *object = gasan_doc_add_object(current);
  object->type = copy(type);
  object->name = copy(name);
  object->relation = gasan_report_relation(base, size, address, &object->distance);
  object->has_base = true;
  object->base = base;
  object->size = size;
  object->unit = "bytes";
}

void gasan_note_array(const char *name, const char *relation, uint64_t distance, uint64_t size, const char *unit) {
  if (!current)
    return;
  struct gasan_doc_object *object = gasan_doc_add_object(current);
  object->type = "array";
  object->name = copy(name);
  object->relation = relation;
  object->distance = distance;
  object->size = size;
  object->unit = copy(unit);
}

bool gasan_note_wants_neighbours(void) {
  return current && !current->neighbours;
}

void gasan_note_neighbour(uint64_t base, uint64_t size) {
  if (!current)
    return;
  struct gasan_doc_object *object = gasan_doc_add_neighbour(current);
  object->has_base = true;
  object->base = base;
  object->size = size;
}
