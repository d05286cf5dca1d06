/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_stopped.h"

#include <stdio.h>

#include "gasan_rt/core/door.h"
#include "gasan_rt/sanitizer/sanitizer.h"

void gasan_report_stopped(struct gasan_rt_device *state, const struct gasan_device_stop *stop,
                          struct gasan_report_suspect *suspects, uint32_t all, uint64_t others) {
  uint32_t count = gasan_report_sort_suspects(suspects, all);
  if (all && !count && !others)
    return;
  char place[128];
  snprintf(place, sizeof place, " on %s device %d unknown address", state->device->kind->name, state->device->ordinal);
  gasan_report_open(stop->kind, place);
  gasan_printf("%sThe device has stopped a kernel (CUDA error %d, %s) for %s%s\n", gasan_color(GASAN_COLOR_ACCESS),
               stop->error, stop->name, stop->what, gasan_color(GASAN_COLOR_DEFAULT));
  gasan_printf("No check covered it, and the device does not say which kernel, thread or line it was\n");
  if (gasan_door_is_open())
    gasan_printf("A guard beside an allocation, or freed memory, may have stopped it. Built with gasan-clang++ or "
                 "gasan-nvcc, the kernel's report would have the line\n");
  gasan_printf("\n");
  if (count || others)
    gasan_report_print_suspects("run", suspects, count, others);
  else
    gasan_printf(
        "Every launch that gasan has seen is complete: a library or the driver API has launched the kernel\n\n");
  if (count)
    gasan_report_summary_stack(gasan_kind_name(stop->kind), suspects[0].stack);
  else
    gasan_report_summary(gasan_kind_name(stop->kind), NULL, 0, 0, NULL);
  gasan_report_close();
}
