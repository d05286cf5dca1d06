/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_stopped.h"

#include <stdio.h>

#include "gasan_rt/core/door.h"
#include "gasan_rt/report/report_dump.h"
#include "gasan_rt/report/report_note.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static void print_suspects(const struct gasan_stopped *stopped) {
  const bool one = stopped->count == 1 && !stopped->others;
  if (!stopped->count) {
    gasan_printf(
        "Every launch that gasan has seen is complete: a library or the driver API has launched the kernel\n\n");
    return;
  }
  gasan_report_print_suspects(stopped->of_kernel ? "One of these launches was it, the likeliest first:"
                              : one              ? "Only this kernel may have run:"
                                                 : "These kernels may have run, the likeliest first:",
                              "have run", stopped->suspects, stopped->count, stopped->others);
}

/* Prints the kernel's frame, and the launch's below it if there is only one place that launched the kernel. */
static void print_launch(const struct gasan_stopped *stopped, int number) {
  const struct gasan_dump_fault *dump = &stopped->evidence->dump;
  const bool one = stopped->of_kernel && stopped->count == 1;
  const struct gasan_report_suspect *suspect = one ? &stopped->suspects[0] : NULL;
  const uint32_t *sizes[2] = {dump->has_grid ? dump->grid_size : NULL, dump->has_grid ? dump->block_size : NULL};
  if (!dump->has_grid && one && !suspect->is_graph && suspect->count == 1) {
    sizes[0] = suspect->grid;
    sizes[1] = suspect->block;
  }
  char title[500], grid[64], block[64];
  if (dump->kernel)
    gasan_demangle(dump->kernel, title, sizeof title);
  gasan_note_stack(GASAN_DOC_LAUNCH);
  gasan_note_kernel(dump->kernel ? title : NULL);
  gasan_printf("    #%d %s", number, dump->kernel ? title : "a kernel");
  if (sizes[0]) {
    gasan_report_shape(sizes[0], grid, sizeof grid);
    gasan_report_shape(sizes[1], block, sizeof block);
    gasan_printf("<<<%s, %s>>>", grid, block);
    gasan_note_shape(sizes[0], sizes[1]);
  }
  if (!one) {
    gasan_printf(stopped->count ? "\n" : " launched by a call that gasan does not see\n");
    return;
  }
  gasan_printf("%s launched here", suspect->is_graph ? " in a graph" : "");
  if (suspect->count > 1)
    gasan_printf(" %llu times", (unsigned long long)suspect->count);
  gasan_printf(" by host thread T%u:\n", suspect->thread);
  gasan_note_launch(dump->kernel ? title : NULL, suspect->thread);
  gasan_note_count(suspect->count);
  gasan_stack_print(suspect->stack, number + 1, false);
}

/* Prints the access, as far as it is known. Returns true if the launch is printed, too. */
static bool print_access(const struct gasan_stopped *stopped) {
  const struct gasan_evidence *evidence = stopped->evidence;
  if (evidence->has_dump) {
    gasan_report_print_dump_access(evidence, &stopped->place);
    print_launch(stopped, gasan_report_print_dump_frames(&evidence->dump));
    return !stopped->count || (stopped->of_kernel && stopped->count == 1);
  }
  if (stopped->place.span) {
    char where[128];
    gasan_report_place_text(&stopped->place, where, sizeof where);
    gasan_note_access(gasan_report_stopped_access(evidence));
    gasan_printf("%s%s%s%s, as the log of the Linux kernel says; no check covered it\n",
                 gasan_color(GASAN_COLOR_ACCESS), gasan_report_stopped_access(evidence), where,
                 gasan_color(GASAN_COLOR_DEFAULT));
    return false;
  }
  gasan_printf("No check covered it, and the device does not say which kernel, thread or line it was\n");
  if (gasan_door_is_open())
    gasan_printf("A guard beside an allocation, or freed memory, may have stopped it\n");
  return false;
}

/* Says how the next run may tell more. */
static void print_advice(const struct gasan_stopped *stopped) {
  const struct gasan_evidence *evidence = stopped->evidence;
  const char *option = gasan_door_is_open() ? "gasan run -o " : "GASAN_OPTIONS=";
  const bool many = (stopped->count > 1 || stopped->others) && !gasan_options()->serialize;
  const bool no_line = evidence->has_dump && !evidence->dump.line_count;
  const bool no_address = stopped->stop->kind == GASAN_KIND_SEGV && !stopped->place.span && !evidence->log_readable;
  if (!evidence->has_dump && evidence->dump_expected)
    gasan_printf("The GPU has written no core dump. Build with gasan-nvcc or gasan-clang++ to see the line\n");
  else if (!evidence->has_dump)
    gasan_printf("To see the line and the thread, run again with %scoredump=1 (it misses some stores), or build with "
                 "gasan-nvcc or gasan-clang++\n",
                 option);
  if (no_line)
    gasan_printf("To see the line, compile with nvcc -lineinfo\n");
  if (no_address)
    gasan_printf("To see the address, let this user read /dev/kmsg: the GPU's driver writes it there\n");
  if (many)
    gasan_printf("To see one launch only, run again with %sserialize=1\n", option);
  if (!evidence->has_dump || no_line || no_address || many)
    gasan_printf("\n");
}

static void print_summary(const struct gasan_stopped *stopped) {
  const enum gasan_kind kind = stopped->place.kind;
  if (stopped->evidence->has_dump)
    gasan_report_print_dump_summary(kind, &stopped->evidence->dump);
  else if (stopped->count)
    gasan_report_summary_stack(gasan_kind_name(kind), stopped->suspects[0].stack);
  else
    gasan_report_summary(gasan_kind_name(kind), NULL, 0, 0, NULL);
}

static bool is_all_suppressed(const struct gasan_stopped *stopped, uint32_t all) {
  return (all && !stopped->count && !stopped->others) ||
         (stopped->evidence->has_dump && gasan_report_dump_suppressed(&stopped->evidence->dump)) ||
         (stopped->place.has_chunk && gasan_stack_suppressed("alloc", stopped->place.chunk.allocation_stack));
}

void gasan_report_stopped(struct gasan_rt_device *state, struct gasan_stopped *stopped) {
  const struct gasan_device_stop *stop = stopped->stop;
  const uint32_t all = stopped->count;
  stopped->count = gasan_report_sort_suspects(stopped->suspects, all);
  if (is_all_suppressed(stopped, all))
    return;
  char title[128];
  gasan_report_place_title(state, &stopped->place, title, sizeof title);
  gasan_report_open(stopped->place.kind, title);
  gasan_note_device(state);
  if (stopped->place.span)
    gasan_note_address(stopped->place.address);
  gasan_printf("%sThe device has stopped a kernel (CUDA error %d, %s) for %s%s\n", gasan_color(GASAN_COLOR_ACCESS),
               stop->error, stop->name, stop->what, gasan_color(GASAN_COLOR_DEFAULT));
  const bool launch_printed = print_access(stopped);
  gasan_printf("\n");
  if (!launch_printed)
    print_suspects(stopped);
  gasan_report_print_place(&stopped->place);
  print_advice(stopped);
  print_summary(stopped);
  gasan_report_close();
}
