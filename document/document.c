/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "document/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static const struct {
  const char *name, *title;
} roles[] = {
#define GASAN_DOC_ROLE(id, name, title) {name, title},
#include "document/roles.inc"
#undef GASAN_DOC_ROLE
};

const char *gasan_doc_role_name(enum gasan_doc_role role) {
  return roles[role].name;
}

const char *gasan_doc_role_title(enum gasan_doc_role role) {
  return roles[role].title;
}

struct gasan_doc_stack *gasan_doc_add_stack(struct gasan_doc_report *report, enum gasan_doc_role role) {
  struct gasan_doc_stack *stack = gasan_arena_allocate(&report->arena, sizeof *stack);
  stack->role = role;
  *(report->last_stack ? &report->last_stack->next : &report->stacks) = stack;
  report->last_stack = stack;
  return stack;
}

struct gasan_doc_frame *gasan_doc_add_frame(struct gasan_doc_report *report, struct gasan_doc_stack *stack) {
  struct gasan_doc_frame *frame = gasan_arena_allocate(&report->arena, sizeof *frame);
  *(stack->last ? &stack->last->next : &stack->frames) = frame;
  stack->last = frame;
  return frame;
}

struct gasan_doc_object *gasan_doc_add_object(struct gasan_doc_report *report) {
  struct gasan_doc_object *object = gasan_arena_allocate(&report->arena, sizeof *object);
  *(report->last_object ? &report->last_object->next : &report->objects) = object;
  report->last_object = object;
  return object;
}

struct gasan_doc_object *gasan_doc_add_neighbour(struct gasan_doc_report *report) {
  struct gasan_doc_object *object = gasan_arena_allocate(&report->arena, sizeof *object);
  *(report->last_neighbour ? &report->last_neighbour->next : &report->neighbours) = object;
  report->last_neighbour = object;
  return object;
}

struct gasan_doc_value *gasan_doc_add_value(struct gasan_doc_report *report) {
  struct gasan_doc_value *value = gasan_arena_allocate(&report->arena, sizeof *value);
  *(report->last_value ? &report->last_value->next : &report->values) = value;
  report->last_value = value;
  return value;
}

struct gasan_doc_report *gasan_doc_create_report(void) {
  struct gasan_doc_report *report = calloc(1, sizeof *report);
  GASAN_CHECK(report);
  report->count = 1;
  return report;
}

void gasan_doc_free_report(struct gasan_doc_report *report) {
  gasan_arena_free(&report->arena);
  free(report->processes);
  free(report);
}

void gasan_doc_free(struct gasan_document *document) {
  while (document->reports) {
    struct gasan_doc_report *next = document->reports->next;
    gasan_doc_free_report(document->reports);
    document->reports = next;
  }
  free(document->processes);
  free(document->buckets);
  gasan_arena_free(&document->arena);
  *document = (struct gasan_document){0};
}

const struct gasan_doc_stack *gasan_doc_find_stack(const struct gasan_doc_report *report, enum gasan_doc_role role) {
  const struct gasan_doc_stack *stack = report->stacks;
  while (stack && stack->role != role)
    stack = stack->next;
  return stack;
}

/* FNV-1a. A null text differs from an empty one. */
static uint64_t add_to_hash(uint64_t hash, const char *text) {
  for (const char *at = text ? text : "\1"; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
  return (hash ^ 0xff) * 0x100000001b3;
}

uint64_t gasan_doc_fingerprint(const struct gasan_doc_report *report) {
  uint64_t hash = add_to_hash(0xcbf29ce484222325, report->kind);
  for (const struct gasan_doc_stack *stack = report->stacks; stack; stack = stack->next) {
    if (stack->role != GASAN_DOC_ACCESS && stack->role != GASAN_DOC_WAITING && stack->role != GASAN_DOC_LAUNCH &&
        stack->role != GASAN_DOC_ALLOCATION)
      continue;
    hash = add_to_hash(hash, roles[stack->role].name);
    hash = add_to_hash(hash, stack->kernel);
    for (const struct gasan_doc_frame *frame = stack->frames; frame; frame = frame->next)
      hash = add_to_hash(hash, frame->function);
  }
  return hash;
}

void gasan_doc_print_fingerprint(const struct gasan_doc_report *report, char text[17]) {
  snprintf(text, 17, "%016llx", (unsigned long long)gasan_doc_fingerprint(report));
}

const struct gasan_doc_frame *gasan_doc_find_frame(const struct gasan_doc_stack *stack) {
  const struct gasan_doc_frame *first = NULL;
  for (const struct gasan_doc_frame *frame = stack ? stack->frames : NULL; frame; frame = frame->next) {
    const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
    const bool is_header = slash && (strstr(frame->file, "/include/") || strncmp(slash, "/__clang_", 9) == 0);
    if (frame->file && frame->line && !is_header)
      return frame;
    if (!first && frame->file)
      first = frame;
  }
  return first;
}

static bool is_same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same_frame(const struct gasan_doc_frame *a, const struct gasan_doc_frame *b) {
  return is_same_text(a->function, b->function) && is_same_text(a->file, b->file) &&
         is_same_text(a->module, b->module) && a->line == b->line && a->column == b->column &&
         (a->file || a->offset == b->offset);
}

static bool is_same_stack(const struct gasan_doc_stack *a, const struct gasan_doc_stack *b) {
  if (a->role != b->role || !is_same_text(a->kernel, b->kernel))
    return false;
  const struct gasan_doc_frame *left = a->frames, *right = b->frames;
  for (; left && right; left = left->next, right = right->next)
    if (!is_same_frame(left, right))
      return false;
  return !left && !right;
}

bool gasan_doc_is_same(const struct gasan_doc_report *a, const struct gasan_doc_report *b) {
  if (!is_same_text(a->kind, b->kind) || !is_same_text(a->operation, b->operation))
    return false;
  const struct gasan_doc_stack *left = a->stacks, *right = b->stacks;
  for (; left && right; left = left->next, right = right->next)
    if (!is_same_stack(left, right))
      return false;
  return !left && !right;
}

void gasan_doc_name_process(struct gasan_doc_report *report, uint32_t process) {
  for (uint32_t i = 0; i < report->process_count; i++)
    if (report->processes[i] == process)
      return;
  uint32_t *more = realloc(report->processes, (report->process_count + 1) * sizeof *more);
  GASAN_CHECK(more);
  report->processes = more;
  report->processes[report->process_count++] = process;
}

struct gasan_doc_process *gasan_doc_create_process(struct gasan_document *document) {
  struct gasan_doc_process *more =
      realloc(document->processes, (document->process_count + 1) * sizeof *document->processes);
  GASAN_CHECK(more);
  document->processes = more;
  more[document->process_count] = (struct gasan_doc_process){0};
  return &more[document->process_count++];
}
