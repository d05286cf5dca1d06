/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_mask.h"

#include <stdio.h>

#include "base/warp.h"
#include "gasan_rt/report/report_note.h"
#include "gasan_rt/report/site_table.h"
#include "gasan_rt/sanitizer/sanitizer.h"

void gasan_report_open_mask(const struct gasan_rt_device *state, uint32_t operation, uint32_t mask, uint32_t lane) {
  char rest[160];
  snprintf(rest, sizeof rest,
           " on %s device %d: lane %u calls %s with the mask 0x%08x, which does not contain this lane",
           state->device->kind->name, state->device->ordinal, lane, gasan_warp_operation_name(operation), mask);
  gasan_report_open(GASAN_KIND_INVALID_WARP_MASK, rest);
  gasan_note_device(state);
}

bool gasan_report_mask_fault(const struct gasan_device_fault *fault, const struct gasan_site *site) {
  const struct gasan_record *record = &fault->record;
  if (record->code != GASAN_CODE_BST || record->object != GASAN_OBJECT_WARP_MASK)
    return false;
  if (gasan_report_fault_suppressed(fault, site, GASAN_KIND_INVALID_WARP_MASK))
    return true;
  gasan_report_open_mask(fault->state, site ? site->size : UINT32_MAX, (uint32_t)record->address,
                         gasan_report_lane(record));
  gasan_note_access("CALL");
  gasan_printf("%sCALL by ", gasan_color(GASAN_COLOR_ACCESS));
  gasan_report_print_thread(record);
  gasan_report_print_more_threads(fault);
  gasan_printf("%s\n", gasan_color(GASAN_COLOR_DEFAULT));
  gasan_report_print_device_stack(fault, site);
  gasan_report_print_device_source(fault, site);
  gasan_report_print_device_summary(fault, GASAN_KIND_INVALID_WARP_MASK, site);
  gasan_report_close();
  return true;
}
