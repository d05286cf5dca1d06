/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports about the device heap: accesses, frees in kernels, and leaks. */
#include "gasan_rt/report/report_heap.h"

#include <stdio.h>

#include "gasan_rt/report/report_note.h"
#include "gasan_rt/report/report_picture.h"
#include "gasan_rt/report/site_table.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static const struct gasan_site *site_of(const struct gasan_device_fault *fault) {
  return fault->sites ? gasan_sites_site(fault->sites, fault->record.site) : NULL;
}

void gasan_report_print_heap_stack(const struct gasan_device_fault *event) {
  gasan_report_print_device_stack(event, site_of(event));
}

bool gasan_report_heap_suppressed(const struct gasan_device_fault *event, const char *type) {
  const struct gasan_site *site = site_of(event);
  for (uint32_t i = 0; site && i < site->frame_count; i++)
    if (gasan_suppressed(type, gasan_sites_string(event->sites, gasan_sites_frame(event->sites, site, i)->function)))
      return true;
  return false;
}

static void print_event(enum gasan_doc_role role, const char *what, const struct gasan_device_fault *event) {
  gasan_note_stack(role);
  gasan_printf("%s%s by ", gasan_color(GASAN_COLOR_ALLOCATION), what);
  gasan_report_print_thread(&event->record);
  gasan_printf(" here:%s\n", gasan_color(GASAN_COLOR_DEFAULT));
  gasan_report_print_heap_stack(event);
  gasan_printf("\n");
}

static void print_chunk(const struct gasan_report_heap *found, uint64_t address) {
  const struct gasan_heap_chunk *chunk = &found->chunk;
  uint64_t distance = 0;
  const char *relation = gasan_report_relation(found->base, chunk->size, address, &distance);
  gasan_printf("%s0x%012llx is located %llu bytes %s %llu-byte region [0x%012llx,0x%012llx) of the device heap%s\n",
               gasan_color(GASAN_COLOR_LOCATION), (unsigned long long)address, (unsigned long long)distance, relation,
               (unsigned long long)chunk->size, (unsigned long long)found->base,
               (unsigned long long)(found->base + chunk->size), gasan_color(GASAN_COLOR_DEFAULT));
  gasan_note_object("region of the device heap", NULL, found->base, chunk->size, address);
  bool freed = chunk->state == GASAN_HEAP_FREED;
  if (freed)
    print_event(GASAN_DOC_FREE, "freed", &found->freed);
  print_event(GASAN_DOC_ALLOCATION, freed ? "previously allocated" : "allocated", &found->allocated);
}

/* Returns true for a free, which accesses no bytes. */
static bool is_free(const struct gasan_record *record) {
  return record->code == GASAN_CODE_BST && record->size == 0;
}

static enum gasan_kind kind_of(const struct gasan_record *record, const struct gasan_report_heap *found) {
  bool dead = found && (found->chunk.state == GASAN_HEAP_FREED || record->bounds_size < found->chunk.size);
  if (is_free(record))
    return dead && found->base == record->address && record->object == GASAN_OBJECT_HEAP ? GASAN_KIND_DOUBLE_FREE
                                                                                         : GASAN_KIND_BAD_FREE;
  if (!found)
    return GASAN_KIND_WILD_ADDRESS;
  return dead && record->fault - found->base < found->chunk.size ? GASAN_KIND_HEAP_USE_AFTER_FREE
                                                                 : GASAN_KIND_HEAP_BUFFER_OVERFLOW;
}

static void open_report(const struct gasan_device_fault *fault, enum gasan_kind kind, const struct gasan_site *site) {
  const struct gasan_record *record = &fault->record;
  const struct gasan_device *device = fault->state->device;
  char text[256];
  if (is_free(record))
    snprintf(text, sizeof text, "%s 0x%012llx on %s device %d in a kernel:",
             kind == GASAN_KIND_DOUBLE_FREE ? "attempting double-free on"
                                            : "attempting free on address which was not malloc()-ed:",
             (unsigned long long)record->address, device->kind->name, device->ordinal);
  else
    snprintf(text, sizeof text, " on %s device %d address 0x%012llx", device->kind->name, device->ordinal,
             (unsigned long long)record->fault);
  gasan_report_open(kind, text);
  gasan_note_device(fault->state);
  gasan_note_address(is_free(record) ? record->address : record->fault);
  if (!is_free(record)) {
    gasan_report_print_access(fault, site);
    return;
  }
  gasan_note_access("FREE");
  gasan_printf("%sFREE of 0x%012llx by ", gasan_color(GASAN_COLOR_ACCESS), (unsigned long long)record->address);
  gasan_report_print_thread(record);
  gasan_report_print_more_threads(fault);
  gasan_printf("%s\n", gasan_color(GASAN_COLOR_DEFAULT));
}

/* Prints a freed or accessed address that is not in the heap, or is in no chunk of it. */
static void print_other(const struct gasan_device_fault *fault) {
  const struct gasan_record *record = &fault->record;
  struct gasan_chunk chunk;
  if (record->object == GASAN_OBJECT_SHARED || record->object == GASAN_OBJECT_LOCAL)
    gasan_printf("0x%012llx is in %s memory\n\n", (unsigned long long)record->address,
                 record->object == GASAN_OBJECT_SHARED ? "shared" : "local");
  else if (record->object == GASAN_OBJECT_HEAP)
    gasan_printf("0x%012llx is in the device heap, where nothing was ever allocated\n\n",
                 (unsigned long long)record->address);
  else if (fault->state->pool && gasan_pool_owns(fault->state->pool, record->address) &&
           gasan_pool_explain(fault->state->pool, record->address, &chunk))
    gasan_report_print_chunk(&chunk, record->address);
}

bool gasan_report_heap_fault(const struct gasan_device_fault *fault, const struct gasan_site *site) {
  const struct gasan_record *record = &fault->record;
  if (record->code != GASAN_CODE_BST || (!is_free(record) && record->object != GASAN_OBJECT_HEAP))
    return false;
  const struct gasan_report_heap *found = fault->heap;
  enum gasan_kind kind = kind_of(record, found);
  if (gasan_report_fault_suppressed(fault, site, kind) ||
      (found && gasan_report_heap_suppressed(&found->allocated, "alloc")))
    return true;
  open_report(fault, kind, site);
  gasan_report_print_device_stack(fault, site);
  gasan_report_print_device_source(fault, site);
  uint64_t address = is_free(record) ? record->address : record->fault;
  if (found && kind == GASAN_KIND_HEAP_BUFFER_OVERFLOW)
    gasan_report_draw_bytes(found->base, found->chunk.size, record->address, record->size);
  if (found && found->chunk.state == GASAN_HEAP_LIVE &&
      (kind == GASAN_KIND_HEAP_USE_AFTER_FREE || kind == GASAN_KIND_DOUBLE_FREE))
    gasan_printf("The memory was freed, and then allocated again; this is the new allocation:\n");
  if (found)
    print_chunk(found, address);
  else
    print_other(fault);
  gasan_report_print_device_summary(fault, kind, site);
  gasan_report_close();
  return true;
}
