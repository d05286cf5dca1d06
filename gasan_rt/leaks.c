#include "gasan_rt/leaks.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "gasan_rt/foreign.h"
#include "gasan_rt/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* All allocations with one stack. */
struct leak {
  uint32_t stack;
  uint64_t objects, bytes;
};

struct leaks {
  struct leak *items;
  size_t count, room;
  uint64_t left_out; /* bytes that there was no memory to list */
};

static void add(struct leaks *leaks, uint32_t stack, uint64_t bytes) {
  if (leaks->count == leaks->room) {
    size_t room = leaks->room ? leaks->room * 2 : 256;
    struct leak *more = realloc(leaks->items, room * sizeof *more);
    if (!more) {
      leaks->left_out += bytes;
      return;
    }
    leaks->items = more;
    leaks->room = room;
  }
  leaks->items[leaks->count++] = (struct leak){stack, 1, bytes};
}

static bool add_chunk(const struct gasan_chunk *chunk, void *context) {
  add(context, chunk->allocation_stack, chunk->size);
  return true;
}

/* Registered and imported memory is not the program's to free here, variables nobody's. */
static void add_range(const struct gasan_foreign *range, void *context) {
  if (range->kind & (GASAN_FOREIGN_MANAGED | GASAN_FOREIGN_PINNED | GASAN_FOREIGN_POOLED))
    add(context, range->chunk.allocation_stack, range->chunk.size);
}

static int by_stack(const void *left, const void *right) {
  const struct leak *a = left, *b = right;
  return a->stack < b->stack ? -1 : a->stack > b->stack;
}

/* The largest first; of equal ones the one that was there first. */
static int by_bytes(const void *left, const void *right) {
  const struct leak *a = left, *b = right;
  if (a->bytes != b->bytes)
    return a->bytes > b->bytes ? -1 : 1;
  return by_stack(left, right);
}

static void join_equal_stacks(struct leaks *leaks) {
  qsort(leaks->items, leaks->count, sizeof *leaks->items, by_stack);
  size_t kept = 0;
  for (size_t i = 0; i < leaks->count; i++) {
    struct leak *last = kept ? &leaks->items[kept - 1] : NULL;
    if (last && last->stack == leaks->items[i].stack) {
      last->objects++;
      last->bytes += leaks->items[i].bytes;
    } else {
      leaks->items[kept++] = leaks->items[i];
    }
  }
  leaks->count = kept;
}

static void drop_suppressed(struct leaks *leaks) {
  size_t kept = 0;
  for (size_t i = 0; i < leaks->count; i++)
    if (!gasan_stack_suppressed("leak", leaks->items[i].stack))
      leaks->items[kept++] = leaks->items[i];
  leaks->count = kept;
}

static void print(const struct leaks *leaks) {
  uint64_t bytes = leaks->left_out, objects = 0;
  gasan_report_begin();
  gasan_printf("\n=================================================================\n");
  gasan_printf("%s==%d==ERROR: LeakSanitizer: detected memory leaks%s\n\n", gasan_color(GASAN_COLOR_ERROR), (int)getpid(),
               gasan_color(GASAN_COLOR_DEFAULT));
  for (size_t i = 0; i < leaks->count; i++) {
    const struct leak *leak = &leaks->items[i];
    gasan_printf("%sDirect leak of %llu byte(s) in %llu object(s) allocated from:%s\n", gasan_color(GASAN_COLOR_ACCESS),
                 (unsigned long long)leak->bytes, (unsigned long long)leak->objects, gasan_color(GASAN_COLOR_DEFAULT));
    gasan_stack_print(leak->stack, 0, true);
    gasan_printf("\n");
    bytes += leak->bytes;
    objects += leak->objects;
  }
  gasan_printf("SUMMARY: AddressSanitizer: %llu byte(s) leaked in %llu allocation(s).\n", (unsigned long long)bytes,
               (unsigned long long)objects);
  gasan_report_end();
}

void gasan_leaks_report(void) {
  struct leaks leaks = {0};
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *state = gasan_rt_device(i);
    if (state && state->pool)
      gasan_pool_each_live(state->pool, add_chunk, &leaks);
  }
  gasan_foreign_each_live(add_range, &leaks);
  join_equal_stacks(&leaks);
  drop_suppressed(&leaks);
  if (leaks.count) {
    qsort(leaks.items, leaks.count, sizeof *leaks.items, by_bytes);
    print(&leaks);
    if (gasan_exitcode())
      gasan_exit();
  }
  free(leaks.items);
}
