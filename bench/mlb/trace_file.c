/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/mlb/trace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct mlb_trace {
  FILE *file;
  const char *path;
  struct gasan_trace_file head;
  uint64_t launches, left; /* left: bytes of the file behind the last launch */
  char *name;
  struct mlb_allocation *allocations;
  uint64_t allocation_count;
  uint64_t *words;
};

static int damaged(const struct mlb_trace *trace, const char *what) {
  fprintf(stderr, "mlb: %s: launch %llu %s; record the trace again\n", trace->path, (unsigned long long)trace->launches,
          what);
  return -1;
}

struct mlb_trace *mlb_trace_open(const char *path) {
  struct mlb_trace *trace = calloc(1, sizeof *trace);
  FILE *file = fopen(path, "rb");
  if (!trace || !file) {
    fprintf(stderr, "mlb: cannot open %s: %s\n", path, strerror(errno));
    if (file)
      fclose(file);
    free(trace);
    return NULL;
  }
  trace->file = file;
  trace->path = path;
  long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  rewind(file);
  if (size < (long)sizeof trace->head || fread(&trace->head, sizeof trace->head, 1, file) != 1 ||
      trace->head.magic != GASAN_TRACE_MAGIC) {
    fprintf(stderr,
            "mlb: %s is no trace; compile with -fsanitize-gpu-address-trace, and run with "
            "GASAN_OPTIONS=trace_path=FILE\n",
            path);
    mlb_trace_close(trace);
    return NULL;
  }
  trace->left = (uint64_t)size - sizeof trace->head;
  return trace;
}

void mlb_trace_close(struct mlb_trace *trace) {
  fclose(trace->file);
  free(trace->name);
  free(trace->allocations);
  free(trace->words);
  free(trace);
}

const struct gasan_trace_file *mlb_trace_head(const struct mlb_trace *trace) {
  return &trace->head;
}

/* Reads bytes into a new array, which replaces *array. */
static bool read_array(struct mlb_trace *trace, void *array, uint64_t size) {
  if (size > trace->left)
    return false;
  trace->left -= size;
  void *bytes = realloc(*(void **)array, size + 8);
  if (!bytes)
    return false;
  *(void **)array = bytes;
  memset((char *)bytes + size, 0, 8);
  return !size || fread(bytes, size, 1, trace->file) == 1;
}

static uint64_t length_of(const uint64_t *words) {
  struct gasan_trace_record head;
  memcpy(&head, words, sizeof head);
  return GASAN_TRACE_HEADER_WORDS + (head.affine ? 2 : (uint32_t)__builtin_popcount(head.mask));
}

static bool are_records(const uint64_t *words, uint64_t count) {
  uint64_t at = 0;
  while (at + GASAN_TRACE_HEADER_WORDS < count) {
    struct gasan_trace_record head;
    memcpy(&head, words + at, sizeof head);
    if (head.type < GASAN_TRACE_LOOKUP || head.type > GASAN_TRACE_ATOMIC || !head.mask)
      return false;
    at += length_of(words + at);
  }
  return at == count;
}

static int by_base(const void *left, const void *right) {
  const struct mlb_allocation *a = left, *b = right;
  return a->base < b->base ? -1 : a->base > b->base;
}

int mlb_trace_next(struct mlb_trace *trace, struct mlb_launch *launch) {
  struct gasan_trace_launch *head = &launch->head;
  if (!trace->left)
    return 0;
  if (trace->left < sizeof *head || fread(head, sizeof *head, 1, trace->file) != 1)
    return damaged(trace, "is incomplete");
  trace->left -= sizeof *head;
  if (head->allocations > trace->left / sizeof *trace->allocations || head->record_words > trace->left / 8 ||
      !read_array(trace, &trace->name, head->name_size))
    return damaged(trace, "is incomplete");
  if (!head->same) {
    if (!read_array(trace, &trace->allocations, head->allocations * sizeof *trace->allocations))
      return damaged(trace, "is incomplete");
    trace->allocation_count = head->allocations;
    if (head->allocations)
      qsort(trace->allocations, head->allocations, sizeof *trace->allocations, by_base);
  }
  if (!read_array(trace, &trace->words, head->record_words * 8))
    return damaged(trace, "is incomplete");
  if (!are_records(trace->words, head->record_words))
    return damaged(trace, "has a damaged record");
  launch->name = trace->name;
  launch->allocations = trace->allocations;
  launch->allocation_count = trace->allocation_count;
  launch->changed = !head->same;
  launch->sample = trace->head.sample;
  launch->words = trace->words;
  trace->launches++;
  return 1;
}

bool mlb_record_next(const struct mlb_launch *launch, uint64_t *at, struct mlb_record *record) {
  if (*at >= launch->head.record_words)
    return false;
  const uint64_t *words = launch->words + *at;
  memcpy(&record->head, words, sizeof record->head);
  record->lanes = (uint32_t)__builtin_popcount(record->head.mask);
  const uint64_t *addresses = words + GASAN_TRACE_HEADER_WORDS;
  for (uint32_t i = 0; i < record->lanes; i++)
    record->addresses[i] = record->head.affine ? addresses[0] + i * addresses[1] : addresses[i];
  *at += length_of(words);
  return true;
}
