/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/leaks.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/describe.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/memory/device_heap.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/report/report_heap.h"
#include "gasan_rt/report/report_note.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* All leaked allocations with the same host stack, or of the same malloc in kernels. */
struct leak {
  uint32_t stack;
  uint64_t objects, bytes;
  struct gasan_rt_device *device; /* NULL: the memory is the host's, too (managed, page-locked) */
  bool of_heap;                   /* a kernel allocated it */
  struct gasan_heap_event event;  /* of the first allocation */
};

struct leaks {
  struct leak *items;
  size_t count, room;
  uint64_t left_out; /* bytes that could not be listed, because host memory was short */
};

/* The chunks that kernels have not freed. They are read before the program's last destructors run, because afterwards a
 * device may no longer exist. */
static struct leaks heap_leaks;
static struct gasan_rt_device *reading; /* the device whose allocations are being read; NULL: the host's ranges */

static void add_leak(struct leaks *leaks, struct leak leak) {
  if (leaks->count == leaks->room) {
    size_t room = leaks->room ? leaks->room * 2 : 256;
    struct leak *more = realloc(leaks->items, room * sizeof *more);
    if (!more) {
      leaks->left_out += leak.bytes;
      return;
    }
    leaks->items = more;
    leaks->room = room;
  }
  leaks->items[leaks->count++] = leak;
}

static void add_host_leak(struct leaks *leaks, uint32_t stack, uint64_t bytes) {
  add_leak(leaks, (struct leak){.stack = stack, .objects = 1, .bytes = bytes, .device = reading});
}

static void add_heap_chunk(const struct gasan_heap_chunk *chunk, void *context) {
  /* Read the sites now, before the program unregisters its modules. */
  gasan_module_sites(chunk->allocated.module_id, reading);
  add_leak(
      context,
      (struct leak){.objects = 1, .bytes = chunk->size, .device = reading, .of_heap = true, .event = chunk->allocated});
}

void gasan_leaks_read_heap(struct gasan_rt_device *state) {
  reading = state;
  gasan_heap_each_live(state, add_heap_chunk, &heap_leaks);
  reading = NULL;
}

static bool add_chunk(const struct gasan_chunk *chunk, void *context) {
  add_host_leak(context, chunk->allocation_stack, chunk->size);
  return true;
}

/* Skips registered and imported memory, which is freed elsewhere, and variables, which are never freed. */
static void add_range(const struct gasan_foreign *range, void *context) {
  if (range->kind & (GASAN_FOREIGN_MANAGED | GASAN_FOREIGN_PINNED | GASAN_FOREIGN_POOLED))
    add_host_leak(context, range->chunk.allocation_stack, range->chunk.size);
}

#define ORDER(a, b)                                                                                                    \
  if ((a) != (b))                                                                                                      \
  return (a) < (b) ? -1 : 1

static int by_origin(const struct leak *a, const struct leak *b) {
  ORDER(a->stack, b->stack);
  ORDER(a->of_heap, b->of_heap);
  ORDER((uintptr_t)a->device, (uintptr_t)b->device);
  ORDER(a->event.module_id, b->event.module_id);
  ORDER(a->event.site, b->event.site);
  return 0;
}

/* Orders leaks of the same origin by their launches and threads. */
static int by_stack(const void *left, const void *right) {
  const struct leak *a = left, *b = right;
  int order = by_origin(a, b);
  if (order)
    return order;
  ORDER(a->event.grid_id, b->event.grid_id);
  ORDER(a->event.order, b->event.order);
  return 0;
}

/* Orders leaks by decreasing size, and equal ones by their time. */
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
    if (last && by_origin(last, &leaks->items[i]) == 0) {
      last->objects++;
      last->bytes += leaks->items[i].bytes;
    } else {
      leaks->items[kept++] = leaks->items[i];
    }
  }
  leaks->count = kept;
}

static bool is_suppressed(const struct leak *leak) {
  if (!leak->of_heap)
    return gasan_stack_suppressed("leak", leak->stack);
  struct gasan_device_fault event = gasan_describe_event(leak->device, &leak->event);
  return gasan_report_heap_suppressed(&event, "leak");
}

static void print_heap_stack(const struct leak *leak) {
  struct gasan_device_fault event = gasan_describe_event(leak->device, &leak->event);
  gasan_report_print_heap_stack(&event);
}

static void drop_suppressed(struct leaks *leaks) {
  size_t kept = 0;
  for (size_t i = 0; i < leaks->count; i++)
    if (!is_suppressed(&leaks->items[i]))
      leaks->items[kept++] = leaks->items[i];
  leaks->count = kept;
}

/* Writes the device's name, if the program uses several devices. */
static void name_device(const struct leak *leak, char *text, size_t size) {
  int used = 0;
  for (int i = 0; i < GASAN_RT_DEVICES; i++)
    used += gasan_rt_device(i) != NULL;
  text[0] = 0;
  if (leak->device && used > 1)
    snprintf(text, size, " on %s device %d", leak->device->device->kind->name, leak->device->device->ordinal);
}

/* Begins a report for report_format=json and sarif, where each leak is one. */
static void note_leak(const struct leak *leak) {
  char title[128];
  snprintf(title, sizeof title, "%llu byte(s) leaked in %llu object(s)", (unsigned long long)leak->bytes,
           (unsigned long long)leak->objects);
  gasan_note_begin(GASAN_DOCUMENT_LEAK, title);
  gasan_note_device(leak->device);
  gasan_note_leak(leak->bytes, leak->objects);
  gasan_note_stack(GASAN_DOC_ALLOCATION);
}

static void print_leaks(const struct leaks *leaks) {
  uint64_t bytes = leaks->left_out, objects = 0;
  gasan_report_begin();
  note_leak(&leaks->items[0]);
  gasan_printf("\n=================================================================\n");
  gasan_printf("%s==%d==ERROR: LeakSanitizer: detected memory leaks%s\n\n", gasan_color(GASAN_COLOR_ERROR),
               (int)getpid(), gasan_color(GASAN_COLOR_DEFAULT));
  for (size_t i = 0; i < leaks->count; i++) {
    const struct leak *leak = &leaks->items[i];
    char device[64];
    name_device(leak, device, sizeof device);
    if (i) {
      gasan_note_add();
      note_leak(leak);
    }
    gasan_printf("%sDirect leak of %llu byte(s) in %llu object(s)%s%s allocated from:%s\n",
                 gasan_color(GASAN_COLOR_ACCESS), (unsigned long long)leak->bytes, (unsigned long long)leak->objects,
                 leak->of_heap ? " of the device heap" : "", device, gasan_color(GASAN_COLOR_DEFAULT));
    if (leak->of_heap)
      print_heap_stack(leak);
    else
      gasan_stack_print(leak->stack, 0, true);
    gasan_printf("\n");
    bytes += leak->bytes;
    objects += leak->objects;
  }
  gasan_printf("SUMMARY: AddressSanitizer: %llu byte(s) leaked in %llu allocation(s).\n", (unsigned long long)bytes,
               (unsigned long long)objects);
  gasan_note_end(gasan_exitcode() != 0);
  gasan_report_end();
}

void gasan_leaks_report(void) {
  struct leaks leaks = {0};
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *state = gasan_rt_device(i);
    reading = state;
    if (state && state->pool)
      gasan_pool_each_live(state->pool, add_chunk, &leaks);
  }
  reading = NULL;
  gasan_foreign_each_live(add_range, &leaks);
  for (size_t i = 0; i < heap_leaks.count; i++)
    add_leak(&leaks, heap_leaks.items[i]);
  leaks.left_out += heap_leaks.left_out;
  join_equal_stacks(&leaks);
  drop_suppressed(&leaks);
  if (leaks.count) {
    qsort(leaks.items, leaks.count, sizeof *leaks.items, by_bytes);
    print_leaks(&leaks);
    if (gasan_exitcode())
      gasan_exit();
  }
  free(leaks.items);
}
