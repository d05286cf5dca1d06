/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_canary.h"

#include <stdio.h>

#include "gasan_rt/report/report.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* One of 256 bytes equals the canary's, so more bytes may have been written. */
static void print_finder(const struct gasan_pool_caller *caller, uint64_t address, uint64_t size) {
  gasan_printf("%sWRITE of at least %llu byte%s at 0x%012llx, found ", gasan_color(GASAN_COLOR_ACCESS),
               (unsigned long long)size, size == 1 ? "" : "s", (unsigned long long)address);
  if (caller)
    gasan_printf("when the memory was freed by host thread T%u:%s\n", caller->thread, gasan_color(GASAN_COLOR_DEFAULT));
  else
    gasan_printf("at the end of the process%s\n", gasan_color(GASAN_COLOR_DEFAULT));
  if (caller)
    gasan_stack_print(caller->stack, 0, true);
}

void gasan_report_canary(struct gasan_rt_device *state, const struct gasan_chunk *chunk, uint64_t address,
                         uint64_t size, const struct gasan_pool_caller *caller) {
  if (gasan_stack_suppressed("alloc", chunk->allocation_stack))
    return;
  char place[128];
  snprintf(place, sizeof place, " on %s device %d address 0x%012llx", state->device->kind->name, state->device->ordinal,
           (unsigned long long)address);
  gasan_report_open(GASAN_KIND_HEAP_BUFFER_OVERFLOW, place);
  print_finder(caller, address, size);
  gasan_printf("A kernel without checks wrote there since the memory was allocated. Built with gasan-clang++ or "
               "gasan-nvcc, it would be named, with its line\n\n");
  gasan_report_print_chunk(chunk, address);
  gasan_report_summary_stack(gasan_kind_name(GASAN_KIND_HEAP_BUFFER_OVERFLOW), chunk->allocation_stack);
  gasan_report_close();
}
