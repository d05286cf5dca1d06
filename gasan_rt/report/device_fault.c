/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the report for an access by device threads, and reports accesses of code in shadow mode. */
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_bounds.h"
#include "gasan_rt/report/report_heap.h"
#include "gasan_rt/report/report_mask.h"
#include "gasan_rt/report/report_repeat.h"
#include "gasan_rt/report/report_view.h"
#include "gasan_rt/sanitizer/sanitizer.h"

void gasan_report_device_fault(const struct gasan_device_fault *fault) {
  const struct gasan_record *record = &fault->record;
  const struct gasan_site *site = fault->sites ? gasan_sites_site(fault->sites, record->site) : NULL;
  if (!gasan_repeat_is_new_fault(fault) || gasan_report_mask_fault(fault, site) ||
      gasan_report_view_fault(fault, site) || gasan_report_heap_fault(fault, site))
    return;
  if (record->code == GASAN_CODE_BST) {
    gasan_report_bounds_fault(fault, site);
    return;
  }
  struct gasan_chunk chunk;
  bool found = gasan_pool_explain(fault->state->pool, record->fault, &chunk);
  enum gasan_kind kind = gasan_report_kind_of(found, &chunk, record->fault);
  if (gasan_report_fault_suppressed(fault, site, kind) ||
      (found && gasan_stack_suppressed("alloc", chunk.allocation_stack)))
    return;
  gasan_report_open_at(fault, kind, record->fault);
  gasan_report_print_access(fault, site);
  gasan_report_print_device_stack(fault, site);
  gasan_report_print_device_source(fault, site);
  if (found && chunk.state == GASAN_CHUNK_LIVE && record->fault - chunk.base < chunk.size)
    gasan_printf("The access was to memory that was freed, and then allocated again; this is the new allocation:\n");
  if (found)
    gasan_report_print_chunk(&chunk, record->fault);
  else
    gasan_printf("0x%012llx is in the pool's window, where nothing was ever allocated\n\n",
                 (unsigned long long)record->fault);
  gasan_report_print_device_summary(fault, kind, site);
  gasan_report_print_shadow(fault->state, record->fault);
  gasan_report_close();
}
