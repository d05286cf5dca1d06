/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gasan_rt/evidence/evidence.h"
#include "gasan_rt/report/debugger.h"
#include "gasan_rt/report/neighbours.h"
#include "gasan_rt/report/report_note.h"
#include "gasan_rt/report/report_repeat.h"
#include "gasan_rt/report/report_source.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static _Atomic uint64_t reports;
static const char *current_kind; /* under the report lock */

uint64_t gasan_report_count(void) {
  return atomic_load(&reports);
}

const char *gasan_kind_name(enum gasan_kind kind) {
  static const char *const names[] = {
#define GASAN_KIND(id, name) name,
#include "gasan_rt/report/kinds.inc"
#undef GASAN_KIND
  };
  return names[kind];
}

void gasan_report_open(enum gasan_kind kind, const char *rest) {
  const bool is_named = kind == GASAN_KIND_DOUBLE_FREE || kind == GASAN_KIND_BAD_FREE; /* by `rest` */
  char title[512];
  snprintf(title, sizeof title, "%s%s", is_named ? "" : gasan_kind_name(kind), rest);
  gasan_report_begin();
  gasan_note_begin(gasan_kind_name(kind), title);
  current_kind = gasan_kind_name(kind);
  gasan_printf("=================================================================\n");
  gasan_printf("%s==%d==ERROR: AddressSanitizer: %s%s\n", gasan_color(GASAN_COLOR_ERROR), (int)getpid(), title,
               gasan_color(GASAN_COLOR_DEFAULT));
}

void gasan_report_open_at(const struct gasan_device_fault *fault, enum gasan_kind kind, uint64_t address) {
  char place[128];
  snprintf(place, sizeof place, " on %s device %d address 0x%012llx", fault->state->device->kind->name,
           fault->state->device->ordinal, (unsigned long long)address);
  gasan_report_open(kind, place);
  gasan_note_device(fault->state);
  gasan_note_address(address);
}

void gasan_report_close(void) {
  uint64_t count = atomic_fetch_add(&reports, 1) + 1;
  const struct gasan_options *options = gasan_options();
  const bool dies = options->halt_on_error || (options->max_reports > 0 && count >= (uint64_t)options->max_reports);
  gasan_repeat_reported(current_kind, gasan_note_end(dies));
  gasan_report_deliver();
  if (dies && options->wait_for_debugger)
    gasan_debugger_wait();
  if (dies) {
    gasan_evidence_end();
    gasan_die();
  }
  gasan_report_end();
}

void gasan_report_print_chunk(const struct gasan_chunk *chunk, uint64_t address) {
  uint64_t distance = 0;
  const char *relation = gasan_report_relation(chunk->base, chunk->size, address, &distance);
  gasan_printf("%s0x%012llx is located %llu bytes %s %llu-byte region [0x%012llx,0x%012llx)%s\n",
               gasan_color(GASAN_COLOR_LOCATION), (unsigned long long)address, (unsigned long long)distance, relation,
               (unsigned long long)chunk->size, (unsigned long long)chunk->base,
               (unsigned long long)(chunk->base + chunk->size), gasan_color(GASAN_COLOR_DEFAULT));
  gasan_note_object("region", NULL, chunk->base, chunk->size, address);
  gasan_report_note_neighbours(chunk);
  gasan_report_print_chunk_stacks(chunk);
}

void gasan_report_print_chunk_stacks(const struct gasan_chunk *chunk) {
  if (chunk->state == GASAN_CHUNK_FREED) {
    gasan_printf("%sfreed by host thread T%u here:%s\n", gasan_color(GASAN_COLOR_ALLOCATION), chunk->free_thread,
                 gasan_color(GASAN_COLOR_DEFAULT));
    gasan_note_host_stack(GASAN_DOC_FREE, chunk->free_thread);
    gasan_stack_print(chunk->free_stack, 0, true);
    gasan_printf("\n");
  }
  gasan_printf("%s%sallocated by host thread T%u here:%s\n", gasan_color(GASAN_COLOR_ALLOCATION),
               chunk->state == GASAN_CHUNK_FREED ? "previously " : "", chunk->allocation_thread,
               gasan_color(GASAN_COLOR_DEFAULT));
  gasan_note_host_stack(GASAN_DOC_ALLOCATION, chunk->allocation_thread);
  gasan_stack_print(chunk->allocation_stack, 0, true);
  gasan_printf("\n");
  if (!chunk->heap_size)
    return;
  gasan_printf("%sthis region lies in a heap, the %llu-byte region [0x%012llx,0x%012llx) allocated by host thread T%u "
               "here:%s\n",
               gasan_color(GASAN_COLOR_ALLOCATION), (unsigned long long)chunk->heap_size,
               (unsigned long long)chunk->heap_base, (unsigned long long)(chunk->heap_base + chunk->heap_size),
               chunk->heap_thread, gasan_color(GASAN_COLOR_DEFAULT));
  gasan_note_host_stack(GASAN_DOC_HEAP, chunk->heap_thread);
  gasan_stack_print(chunk->heap_stack, 0, true);
  gasan_printf("\n");
}

static uint8_t shadow_at(const void *shadow, uint64_t address) {
  return gasan_shadow_get(shadow, address);
}

void gasan_report_print_shadow(struct gasan_rt_device *state, uint64_t address) {
  const struct gasan_shadow *shadow = gasan_pool_shadow(state->pool);
  if (!shadow)
    return;
  gasan_shadow_print(address, gasan_shadow_scale(shadow), shadow_at, shadow);
}

enum gasan_kind gasan_report_kind_of(bool found, const struct gasan_chunk *chunk, uint64_t fault) {
  if (!found)
    return GASAN_KIND_WILD_ADDRESS;
  bool inside = fault >= chunk->base && fault - chunk->base < chunk->size;
  return chunk->state == GASAN_CHUNK_FREED && inside ? GASAN_KIND_HEAP_USE_AFTER_FREE : GASAN_KIND_HEAP_BUFFER_OVERFLOW;
}

void gasan_report_shape(const uint32_t shape[3], char *text, size_t size) {
  if (shape[1] == 1 && shape[2] == 1)
    snprintf(text, size, "%u", shape[0]);
  else
    snprintf(text, size, "(%u,%u,%u)", shape[0], shape[1], shape[2]);
}

static const char *kernel_name(const struct gasan_device_fault *fault, char *text, size_t size) {
  const char *symbol = fault->launch.kernel;
  const char *pretty = fault->sites ? gasan_sites_pretty_kernel(fault->sites, symbol) : NULL;
  if (pretty)
    return pretty;
  gasan_demangle(symbol, text, size);
  return text;
}

void gasan_report_print_device_stack(const struct gasan_device_fault *fault, const struct gasan_site *site) {
  int number = 0;
  if (!site)
    gasan_frame_print(number++, "<unknown site>", "", 0, 0);
  for (uint32_t i = 0; site && i < site->frame_count; i++) {
    const struct gasan_frame *frame = gasan_sites_frame(fault->sites, site, i);
    gasan_frame_print(number++, gasan_sites_string(fault->sites, frame->function),
                      gasan_sites_string(fault->sites, frame->file), (int)frame->line, (int)frame->column);
  }
  char grid[64], block[64], name[512];
  gasan_report_shape(fault->record.grid_dim, grid, sizeof grid);
  gasan_report_shape(fault->record.block_dim, block, sizeof block);
  gasan_note_stack(GASAN_DOC_LAUNCH);
  gasan_note_shape(fault->record.grid_dim, fault->record.block_dim);
  if (!fault->launch.known) {
    gasan_printf("    #%d kernel<<<%s, %s>>> launched by a call that gasan does not see\n", number, grid, block);
    return;
  }
  gasan_printf("    #%d %s<<<%s, %s>>> launched here by host thread T%u:\n", number,
               kernel_name(fault, name, sizeof name), grid, block, fault->launch.thread);
  gasan_note_launch(kernel_name(fault, name, sizeof name), fault->launch.thread);
  gasan_stack_print(fault->launch.stack, number + 1, false);
  if (!fault->launch.node_stack)
    return;
  gasan_printf("\n%s%s by host thread T%u here:%s\n", gasan_color(GASAN_COLOR_ALLOCATION),
               fault->launch.node_captured ? "captured into the graph" : "added to the graph",
               fault->launch.node_thread, gasan_color(GASAN_COLOR_DEFAULT));
  gasan_note_host_stack(GASAN_DOC_GRAPH_NODE, fault->launch.node_thread);
  gasan_stack_print(fault->launch.node_stack, 0, false);
}

uint32_t gasan_report_lane(const struct gasan_record *r) {
  const uint32_t *d = r->block_dim;
  return (uint32_t)((((uint64_t)r->thread[2] * d[1] + r->thread[1]) * d[0] + r->thread[0]) % 32);
}

void gasan_report_print_thread(const struct gasan_record *r) {
  gasan_note_device_thread(r->thread, r->block, gasan_report_lane(r));
  gasan_printf("device thread (%u,%u,%u) block (%u,%u,%u) lane %u", r->thread[0], r->thread[1], r->thread[2],
               r->block[0], r->block[1], r->block[2], gasan_report_lane(r));
}

void gasan_report_print_more_threads(const struct gasan_device_fault *fault) {
  gasan_note_threads(fault->threads);
  if (fault->threads > 1)
    gasan_printf(" (and %llu more thread%s of this kernel)", (unsigned long long)fault->threads - 1,
                 fault->threads > 2 ? "s" : "");
}

const char *gasan_report_access_name(uint32_t access) {
  return access == GASAN_ACCESS_READ ? "READ" : "WRITE";
}

void gasan_report_print_access(const struct gasan_device_fault *fault, const struct gasan_site *site) {
  const struct gasan_record *r = &fault->record;
  const uint32_t access = site                                 ? site->access
                          : r->site == GASAN_SITE_UNKNOWN_READ ? GASAN_ACCESS_READ
                                                               : GASAN_ACCESS_WRITE;
  gasan_printf("%s%s of size %llu at 0x%012llx by ", gasan_color(GASAN_COLOR_ACCESS), gasan_report_access_name(access),
               (unsigned long long)r->size, (unsigned long long)r->address);
  gasan_note_access(gasan_report_access_name(access));
  gasan_note_access_range(r->address, r->size);
  gasan_report_print_thread(r);
  gasan_report_print_more_threads(fault);
  gasan_printf("%s\n", gasan_color(GASAN_COLOR_DEFAULT));
}

/* atomicAdd, __ldg, operator delete and similar functions are defined in clang's and CUDA's headers (__clang_cuda_*.h,
 * cuda_wrappers/new, sm_60_atomic_functions.hpp, device_atomic_functions.hpp, surface_indirect_functions.h). The line
 * to fix is the line of their caller. */
bool gasan_report_is_wrapper(const char *file) {
  const char *slash = strrchr(file, '/');
  const char *name = slash ? slash + 1 : file;
  return strstr(file, "/include/") &&
         (strstr(file, "/cuda_wrappers/") || strncmp(name, "__clang_", 8) == 0 || strncmp(name, "sm_", 3) == 0 ||
          strncmp(name, "device_", 7) == 0 || strncmp(name, "texture_", 8) == 0 || strncmp(name, "surface_", 8) == 0);
}

/* Returns the frame to look at first; NULL: the site has no frame. */
static const struct gasan_frame *find_summary_frame(const struct gasan_device_fault *fault,
                                                    const struct gasan_site *site) {
  if (!site || !site->frame_count)
    return NULL;
  uint32_t i = 0;
  while (i + 1u < site->frame_count &&
         gasan_report_is_wrapper(gasan_sites_string(fault->sites, gasan_sites_frame(fault->sites, site, i)->file)))
    i++;
  return gasan_sites_frame(fault->sites, site, i);
}

void gasan_report_print_device_source(const struct gasan_device_fault *fault, const struct gasan_site *site) {
  const struct gasan_frame *frame = find_summary_frame(fault, site);
  gasan_printf("\n");
  gasan_report_print_source(frame ? gasan_sites_string(fault->sites, frame->file) : NULL, frame ? (int)frame->line : 0,
                            frame ? (int)frame->column : 0, fault->why);
}

void gasan_report_print_device_summary(const struct gasan_device_fault *fault, enum gasan_kind kind,
                                       const struct gasan_site *site) {
  const struct gasan_frame *frame = find_summary_frame(fault, site);
  if (!frame) {
    gasan_report_summary(gasan_kind_name(kind), NULL, 0, 0, NULL);
    return;
  }
  gasan_report_summary(gasan_kind_name(kind), gasan_sites_string(fault->sites, frame->file), (int)frame->line,
                       (int)frame->column, gasan_sites_string(fault->sites, frame->function));
}

bool gasan_report_fault_suppressed(const struct gasan_device_fault *fault, const struct gasan_site *site,
                                   enum gasan_kind kind) {
  const char *error = gasan_kind_name(kind);
  char name[512];
  if (fault->launch.is_left_out)
    return true;
  if (fault->launch.known && (gasan_suppressed("kernel", kernel_name(fault, name, sizeof name)) ||
                              gasan_suppressed(error, kernel_name(fault, name, sizeof name))))
    return true;
  for (uint32_t i = 0; site && i < site->frame_count; i++) {
    const struct gasan_frame *frame = gasan_sites_frame(fault->sites, site, i);
    if (gasan_frame_suppressed(error, gasan_sites_string(fault->sites, frame->function),
                               gasan_sites_string(fault->sites, frame->file)))
      return true;
  }
  return false;
}
