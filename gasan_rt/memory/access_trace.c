/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/access_trace.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/trace_group.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define BYTES_IN_MIB (1ull << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static uint64_t file_size, launches, dropped;
static uint64_t last_epoch; /* of the pool whose allocations were written last */

/* One traced device. */
static struct {
  const struct gasan_rt_device *state; /* NULL: none is traced yet */
  uint64_t address, words, capacity;   /* of struct gasan_trace_buffer and its records */
} traced;

static void write_bytes(const void *bytes, uint64_t size) {
  if (size && fwrite(bytes, size, 1, file) == 1)
    file_size += size;
}

static bool open_file(bool cpu) {
  const char *path = gasan_options()->trace_path;
  file = fopen(path, "wb");
  if (!file) {
    gasan_rt_warn("ERROR: the trace cannot be written to %s: %s; set GASAN_OPTIONS=trace_path to a file in a folder "
                  "that exists",
                  path, strerror(errno));
    return false;
  }
  const struct gasan_trace_file head = {GASAN_TRACE_MAGIC, cpu, (uint32_t)gasan_options()->trace_blocks};
  write_bytes(&head, sizeof head);
  return true;
}

uint64_t gasan_trace_open(struct gasan_rt_device *state) {
  if (!*gasan_options()->trace_path)
    return 0;
  const struct gasan_device_kind *kind = state->device->kind;
  pthread_mutex_lock(&lock);
  uint64_t address = 0, words = 0;
  const bool cpu = kind == &gasan_device_cpu, first = !traced.state;
  const uint64_t size = (uint64_t)gasan_options()->trace_buffer_mb * BYTES_IN_MIB;
  const struct gasan_trace_buffer *unset = NULL;
  if (!first) {
    gasan_rt_warn("device %d: not traced; a trace has the launches of the first device", state->device->ordinal);
  } else if (open_file(cpu)) {
    struct gasan_trace_buffer buffer = {
        .capacity = size / sizeof(uint64_t), .sample = (uint32_t)gasan_options()->trace_blocks, .warps = !cpu};
    if (gasan_ok(kind->device_alloc(state->device, sizeof *unset, &address)) &&
        gasan_ok(kind->device_alloc(state->device, size, &words)) &&
        gasan_ok(kind->fill(state->device, words, 0, size)) &&
        (buffer.words = words, gasan_ok(kind->write(state->device, address, &buffer, sizeof buffer)))) {
      traced.state = state;
      traced.address = address;
      traced.words = words;
      traced.capacity = buffer.capacity;
    } else {
      address = 0;
      gasan_rt_warn("ERROR: no device memory for the trace; lower GASAN_OPTIONS=trace_buffer_mb=%d",
                    gasan_options()->trace_buffer_mb);
    }
  }
  pthread_mutex_unlock(&lock);
  return address;
}

bool gasan_trace_is_written(const struct gasan_rt_device *state) {
  return traced.state == state;
}

struct pairs {
  uint64_t *values;
  uint64_t count, room; /* pairs */
};

static bool add_allocation(const struct gasan_chunk *chunk, void *context) {
  struct pairs *pairs = context;
  if (pairs->count == pairs->room) {
    const uint64_t room = pairs->room ? 2 * pairs->room : 64;
    uint64_t *values = realloc(pairs->values, room * 2 * sizeof *values);
    if (!values)
      return false;
    pairs->values = values;
    pairs->room = room;
  }
  pairs->values[2 * pairs->count] = chunk->base;
  pairs->values[2 * pairs->count + 1] = chunk->size;
  pairs->count++;
  return true;
}

/* Reads the launch's records, packs them, and clears their words in the buffer. */
static struct gasan_trace_words drain(struct gasan_rt_device *state, struct gasan_trace_buffer *buffer) {
  const struct gasan_device_kind *kind = state->device->kind;
  const uint64_t used = buffer->used < traced.capacity ? buffer->used : traced.capacity;
  uint64_t *words = malloc((used + 1) * sizeof *words);
  struct gasan_trace_words packed = {0};
  if (words && gasan_ok(kind->read(state->device, words, traced.words, used * sizeof *words)))
    packed = buffer->warps ? gasan_trace_pack(words, used) : gasan_trace_join(words, used);
  free(words);
  if (!gasan_ok(kind->fill(state->device, traced.words, 0, used * sizeof *words)))
    packed.complete = false;
  if (!packed.complete)
    gasan_rt_warn("the records of a launch are missing in the trace: too little memory for %llu bytes",
                  (unsigned long long)(used * sizeof *words));
  return packed;
}

/* Sets the length of the records that the file has room for, and counts the others as dropped. */
static void fit_records(struct gasan_trace_launch *head, struct gasan_trace_words packed) {
  const uint64_t most = (uint64_t)gasan_options()->trace_size_mb * BYTES_IN_MIB;
  const uint64_t room = most > file_size ? (most - file_size) / sizeof(uint64_t) : 0;
  for (uint64_t at = 0; at < packed.count;) {
    struct gasan_trace_record record;
    memcpy(&record, packed.words + at, sizeof record);
    at += GASAN_TRACE_HEADER_WORDS + (record.affine ? 2 : (uint32_t)__builtin_popcount(record.mask));
    if (at <= room)
      head->record_words = at;
    else
      head->dropped++;
  }
}

static void write_launch(struct gasan_rt_device *state, struct gasan_trace_launch *head, const char *name,
                         struct gasan_trace_words packed) {
  const uint64_t epoch = state->pool ? gasan_pool_epoch(state->pool) : 0;
  struct pairs pairs = {0};
  head->same = launches > 0 && epoch == last_epoch;
  if (!head->same && state->pool)
    gasan_pool_each_live(state->pool, add_allocation, &pairs);
  last_epoch = epoch;
  head->allocations = pairs.count;
  fit_records(head, packed);
  const uint64_t length = strlen(name), padded = (length + 8) / 8 * 8;
  head->name_size = (uint32_t)padded;
  write_bytes(head, sizeof *head);
  write_bytes(name, length);
  write_bytes("\0\0\0\0\0\0\0", padded - length);
  write_bytes(pairs.values, pairs.count * 2 * sizeof(uint64_t));
  write_bytes(packed.words, head->record_words * sizeof(uint64_t));
  if (fflush(file) || ferror(file))
    gasan_rt_warn("ERROR: the trace %s is not complete: %s", gasan_options()->trace_path, strerror(errno));
  free(pairs.values);
}

static void note_dropped(uint64_t number) {
  if (number && !dropped)
    gasan_rt_warn("records are missing in the trace (%llu of launch %llu): raise GASAN_OPTIONS=trace_buffer_mb=%d and "
                  "trace_size_mb=%d, or let one block of many write records (trace_blocks=N)",
                  (unsigned long long)number, (unsigned long long)launches, gasan_options()->trace_buffer_mb,
                  gasan_options()->trace_size_mb);
  dropped += number;
}

void gasan_trace_after_launch(struct gasan_rt_device *state, const char *name, const uint32_t grid[3],
                              const uint32_t block[3]) {
  if (!gasan_trace_is_written(state))
    return;
  pthread_mutex_lock(&lock);
  const struct gasan_device_kind *kind = state->device->kind;
  struct gasan_trace_buffer buffer;
  if (gasan_ok(gasan_rt_synchronize(state)) &&
      gasan_ok(kind->read(state->device, &buffer, traced.address, sizeof buffer))) {
    struct gasan_trace_words packed = drain(state, &buffer);
    struct gasan_trace_launch head = {.dropped = buffer.dropped,
                                      .instructions = buffer.instructions,
                                      .global = buffer.global,
                                      .shared = buffer.shared,
                                      .local = buffer.local,
                                      .lookups = buffer.lookups};
    memcpy(head.grid, grid, sizeof head.grid);
    memcpy(head.block, block, sizeof head.block);
    write_launch(state, &head, name ? name : "?", packed);
    free(packed.words);
    launches++;
    note_dropped(head.dropped);
    const size_t kept = offsetof(struct gasan_trace_buffer, used);
    kind->fill(state->device, traced.address + kept, 0, sizeof buffer - kept);
  }
  pthread_mutex_unlock(&lock);
}

/* Says at exit how much is missing. */
__attribute__((destructor)) static void say_dropped(void) {
  if (file && dropped)
    gasan_rt_warn("trace %s: %llu records are missing", gasan_options()->trace_path, (unsigned long long)dropped);
}
