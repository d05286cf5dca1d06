/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of CUDA calls: copies and sets out of range, overlapping copies, wrong frees. */
#include <stdio.h>

#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_note.h"
#include "gasan_rt/report/report_picture.h"
#include "gasan_rt/report/report_repeat.h"
#include "gasan_rt/report/report_source.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* Finds the chunk that explains the byte. Returns false if there is none. */
static bool find_chunk(const struct gasan_api_fault *fault, struct gasan_chunk *chunk) {
  if (fault->freed) {
    *chunk = *fault->freed;
    return true;
  }
  struct gasan_pool *pool = fault->range ? NULL : fault->state->pool;
  /* The range begins in an allocation that it leaves; another region of a sub-allocator may begin right there. */
  if (pool && fault->fault > fault->address && gasan_pool_explain(pool, fault->address, chunk) &&
      fault->address - chunk->base < chunk->size)
    return true;
  if (pool)
    return gasan_pool_explain(pool, fault->fault, chunk);
  *chunk = fault->range->chunk;
  return true;
}

static enum gasan_kind kind_of(const struct gasan_api_fault *fault, bool found, const struct gasan_chunk *chunk) {
  if (fault->range && fault->range->is_variable)
    return GASAN_KIND_GLOBAL_BUFFER_OVERFLOW;
  return gasan_report_kind_of(found, chunk, fault->fault);
}

void gasan_report_print_variable(const struct gasan_chunk *variable, uint64_t address) {
  char name[512];
  uint64_t distance = 0;
  gasan_demangle(variable->api, name, sizeof name);
  const char *relation = gasan_report_relation(variable->base, variable->size, address, &distance);
  gasan_note_object("global variable", name, variable->base, variable->size, address);
  gasan_printf("%s0x%012llx is located %llu bytes %s global variable '%s' (0x%012llx) of size %llu%s\n\n",
               gasan_color(GASAN_COLOR_LOCATION), (unsigned long long)address, (unsigned long long)distance, relation,
               name, (unsigned long long)variable->base, (unsigned long long)variable->size,
               gasan_color(GASAN_COLOR_DEFAULT));
}

static void print_place(const struct gasan_api_fault *fault, bool found, const struct gasan_chunk *chunk) {
  if (fault->row != SIZE_MAX) {
    gasan_printf("0x%012llx is byte %llu of row %zu", (unsigned long long)fault->fault,
                 (unsigned long long)(fault->fault - fault->address), fault->row);
    if (fault->slice != SIZE_MAX)
      gasan_printf(" of slice %zu", fault->slice);
    gasan_printf(" (counted from 0)\n");
  }
  if (fault->range && fault->range->is_variable)
    gasan_report_print_variable(chunk, fault->fault);
  else if (found)
    gasan_report_print_chunk(chunk, fault->fault);
  else
    gasan_printf("0x%012llx is in the pool's window, where nothing was ever allocated\n\n",
                 (unsigned long long)fault->fault);
}

bool gasan_report_api_fault(const struct gasan_api_fault *fault) {
  uint32_t stack = gasan_stack_capture(fault->api);
  struct gasan_chunk chunk;
  bool found = find_chunk(fault, &chunk);
  enum gasan_kind kind = kind_of(fault, found, &chunk);
  if (gasan_error_suppressed(gasan_kind_name(kind), stack) ||
      (found && gasan_stack_suppressed("alloc", chunk.allocation_stack)))
    return false;
  if (!gasan_repeat_is_new_call(kind, stack))
    return true;
  char place[128];
  if (fault->state)
    snprintf(place, sizeof place, " on %s device %d address 0x%012llx", fault->state->device->kind->name,
             fault->state->device->ordinal, (unsigned long long)fault->fault);
  else
    snprintf(place, sizeof place, " on address 0x%012llx", (unsigned long long)fault->fault);
  gasan_report_open(kind, place);
  gasan_note_device(fault->state);
  gasan_note_address(fault->fault);
  gasan_note_access(gasan_report_access_name(fault->access));
  gasan_note_access_range(fault->address, fault->size);
  gasan_note_api(fault->api);
  gasan_note_host_stack(GASAN_DOC_ACCESS, gasan_thread_number());
  gasan_printf("%s%s of size %llu at 0x%012llx by %s called by host thread T%u:%s\n", gasan_color(GASAN_COLOR_ACCESS),
               gasan_report_access_name(fault->access), (unsigned long long)fault->size,
               (unsigned long long)fault->address, fault->api, gasan_thread_number(), gasan_color(GASAN_COLOR_DEFAULT));
  gasan_stack_print(stack, 0, true);
  gasan_printf("\n");
  gasan_report_print_host_source(stack);
  if (found && chunk.state == GASAN_CHUNK_LIVE)
    gasan_report_draw_bytes(chunk.base, chunk.size, fault->address, fault->size);
  print_place(fault, found, &chunk);
  gasan_report_summary_stack(gasan_kind_name(kind), stack);
  if (fault->state)
    gasan_report_print_shadow(fault->state, fault->fault);
  gasan_report_close();
  return true;
}

bool gasan_report_overlap(const char *api, uint64_t to, uint64_t from, uint64_t size,
                          const struct gasan_chunk *to_chunk, const struct gasan_chunk *from_chunk) {
  uint32_t stack = gasan_stack_capture(api);
  if (gasan_error_suppressed(gasan_kind_name(GASAN_KIND_MEMCPY_PARAM_OVERLAP), stack))
    return false;
  if (!gasan_repeat_is_new_call(GASAN_KIND_MEMCPY_PARAM_OVERLAP, stack))
    return true;
  char text[256];
  snprintf(text, sizeof text, ": memory ranges [0x%012llx,0x%012llx) and [0x%012llx,0x%012llx) overlap",
           (unsigned long long)to, (unsigned long long)(to + size), (unsigned long long)from,
           (unsigned long long)(from + size));
  gasan_report_open(GASAN_KIND_MEMCPY_PARAM_OVERLAP, text);
  gasan_note_address(to);
  gasan_note_access("WRITE");
  gasan_note_access_range(to, size);
  gasan_note_api(api);
  gasan_note_host_stack(GASAN_DOC_ACCESS, gasan_thread_number());
  gasan_stack_print(stack, 0, true);
  gasan_printf("\n");
  gasan_report_print_host_source(stack);
  if (to_chunk)
    gasan_report_print_chunk(to_chunk, to);
  if (from_chunk)
    gasan_report_print_chunk(from_chunk, from);
  gasan_report_summary_stack(gasan_kind_name(GASAN_KIND_MEMCPY_PARAM_OVERLAP), stack);
  gasan_report_close();
  return true;
}

static bool report_free(enum gasan_kind kind, const char *what, struct gasan_rt_device *state,
                        const struct gasan_pool_caller *caller, uint64_t address, const struct gasan_chunk *chunk) {
  if (gasan_error_suppressed(gasan_kind_name(kind), caller->stack))
    return false;
  if (!gasan_repeat_is_new_call(kind, caller->stack))
    return true;
  char text[256];
  snprintf(text, sizeof text, "%s 0x%012llx on %s device %d by host thread T%u:", what, (unsigned long long)address,
           state->device->kind->name, state->device->ordinal, caller->thread);
  gasan_report_open(kind, text);
  gasan_note_device(state);
  gasan_note_address(address);
  gasan_note_access("FREE");
  gasan_note_api(caller->api);
  gasan_note_host_stack(GASAN_DOC_ACCESS, caller->thread);
  gasan_stack_print(caller->stack, 0, true);
  gasan_printf("\n");
  gasan_report_print_host_source(caller->stack);
  if (chunk && chunk->size)
    gasan_report_print_chunk(chunk, address);
  gasan_report_summary_stack(gasan_kind_name(kind), caller->stack);
  gasan_report_close();
  return true;
}

bool gasan_report_double_free(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address,
                              const struct gasan_chunk *chunk) {
  return report_free(GASAN_KIND_DOUBLE_FREE, "attempting double-free on", state, caller, address, chunk);
}

bool gasan_report_bad_free(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address,
                           const struct gasan_chunk *chunk) {
  return report_free(GASAN_KIND_BAD_FREE, "attempting free on address which was not malloc()-ed:", state, caller,
                     address, chunk);
}

bool gasan_report_mismatch(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address,
                           const struct gasan_chunk *chunk) {
  char what[128];
  snprintf(what, sizeof what, " (%s vs %s) on", chunk->api, caller->api);
  return report_free(GASAN_KIND_ALLOC_DEALLOC_MISMATCH, what, state, caller, address, chunk);
}
