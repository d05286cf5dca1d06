/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_canary.h"

#include <stdio.h>

#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_note.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* One of 256 bytes equals the canary's, so more bytes may have been written. */
static void print_finder(const struct gasan_canary_report *found) {
  static const char *const where[] = {
      [GASAN_CANARY_FOUND_BY_CHECK] = "between launches",
      [GASAN_CANARY_FOUND_BY_GUARD] = "while kernels ran",
      [GASAN_CANARY_FOUND_AT_END] = "at the end of the process",
  };
  gasan_printf("%sWRITE of at least %llu byte%s at 0x%012llx, found ", gasan_color(GASAN_COLOR_ACCESS),
               (unsigned long long)found->size, found->size == 1 ? "" : "s", (unsigned long long)found->address);
  if (found->finder == GASAN_CANARY_FOUND_AT_FREE)
    gasan_printf("when the memory was freed by host thread T%u:%s\n", found->caller->thread,
                 gasan_color(GASAN_COLOR_DEFAULT));
  else
    gasan_printf("%s%s\n", where[found->finder], gasan_color(GASAN_COLOR_DEFAULT));
  if (found->finder != GASAN_CANARY_FOUND_AT_FREE)
    return;
  gasan_note_host_stack(GASAN_DOC_DETECTION, found->caller->thread);
  gasan_stack_print(found->caller->stack, 0, true);
}

static const char *title_of(const struct gasan_canary_report *found, bool one) {
  if (!one)
    return "These kernels may have written there, the likeliest first:";
  return found->others ? "Of this process's kernels, only this one may have written there:"
                       : "Only this kernel may have written there:";
}

void gasan_report_canary(struct gasan_rt_device *state, const struct gasan_canary_report *found,
                         struct gasan_report_suspect *suspects, uint32_t all, uint64_t others) {
  uint32_t count = gasan_report_sort_suspects(suspects, all);
  if (gasan_stack_suppressed("alloc", found->chunk->allocation_stack) || (all && !count && !others))
    return;
  const char *kind = gasan_kind_name(GASAN_KIND_HEAP_BUFFER_OVERFLOW);
  char place[128];
  snprintf(place, sizeof place, " on %s device %d address 0x%012llx", state->device->kind->name, state->device->ordinal,
           (unsigned long long)found->address);
  gasan_report_open(GASAN_KIND_HEAP_BUFFER_OVERFLOW, place);
  gasan_note_device(state);
  gasan_note_address(found->address);
  gasan_note_access("WRITE");
  gasan_note_access_range(found->address, found->size);
  print_finder(found);
  gasan_printf("A kernel without checks%s%s wrote there. Built with gasan-clang++ or gasan-nvcc, the report would have "
               "its line\n\n",
               found->others ? " or " : "", found->others ? found->others : "");
  if (count || others)
    gasan_report_print_suspects(title_of(found, count == 1 && !others), "have written there", suspects, count, others);
  gasan_report_print_chunk(found->chunk, found->address);
  gasan_report_summary_stack(kind, count == 1 && !others ? suspects[0].stack : found->chunk->allocation_stack);
  gasan_report_close();
}
