/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_stopped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "gasan_rt/core/door.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define MOST_PRINTED 8u

static const char *title_of(const char *symbol, char *text, size_t size) {
  gasan_demangle(symbol, text, size);
  return text;
}

static bool is_suppressed(const struct gasan_report_suspect *suspect) {
  char title[500];
  return !suspect->is_graph && suspect->kernel_count &&
         gasan_suppressed("kernel", title_of(suspect->kernels[0], title, sizeof title));
}

/* Removes suppressed launches, and orders kernels without checks first: in other kernels, checks would most likely have
 * caught the access. */
static uint32_t sort(struct gasan_report_suspect *suspects, uint32_t count) {
  struct gasan_report_suspect *sorted = malloc((count + 1) * sizeof *sorted);
  GASAN_CHECK(sorted);
  uint32_t left = 0;
  for (int checked = 0; checked < 2; checked++)
    for (uint32_t i = 0; i < count; i++)
      if ((suspects[i].unchecked == NULL) == checked && !is_suppressed(&suspects[i]))
        sorted[left++] = suspects[i];
  memcpy(suspects, sorted, left * sizeof *suspects);
  free(sorted);
  return left;
}

static void print_graph(const struct gasan_report_suspect *suspect) {
  char title[500];
  gasan_printf("a graph");
  for (uint32_t i = 0; i < suspect->kernel_count; i++)
    gasan_printf("%s%s", i ? ", " : " with ", title_of(suspect->kernels[i], title, sizeof title));
}

static void print_kernel(const struct gasan_report_suspect *suspect) {
  char grid[64], block[64], title[500];
  gasan_report_shape(suspect->grid, grid, sizeof grid);
  gasan_report_shape(suspect->block, block, sizeof block);
  gasan_printf("%s<<<%s, %s>>>",
               suspect->kernel_count ? title_of(suspect->kernels[0], title, sizeof title) : "a kernel", grid, block);
  if (suspect->unchecked)
    gasan_printf(" (%s)", suspect->unchecked);
}

static void print_suspect(const struct gasan_report_suspect *suspect) {
  gasan_printf("%s", gasan_color(GASAN_COLOR_ALLOCATION));
  (suspect->is_graph ? print_graph : print_kernel)(suspect);
  gasan_printf(" launched here");
  if (suspect->count > 1)
    gasan_printf(" %llu times", (unsigned long long)suspect->count);
  gasan_printf(" by host thread T%u:%s\n", suspect->thread, gasan_color(GASAN_COLOR_DEFAULT));
  gasan_stack_print(suspect->stack, 0, false);
  gasan_printf("\n");
}

static void print_suspects(const struct gasan_report_suspect *suspects, uint32_t count, uint64_t others) {
  if (!count) {
    gasan_printf(
        "Every launch that gasan has seen is complete: a library or the driver API has launched the kernel\n\n");
    return;
  }
  gasan_printf(count == 1 && !others ? "Only this kernel may have run:\n"
                                     : "These kernels may have run, the likeliest first:\n");
  for (uint32_t i = 0; i < count; i++) {
    if (i < MOST_PRINTED)
      print_suspect(&suspects[i]);
    else
      others += suspects[i].count;
  }
  if (others)
    gasan_printf("%llu more launch%s may have run\n\n", (unsigned long long)others, others == 1 ? "" : "es");
}

void gasan_report_stopped(struct gasan_rt_device *state, const struct gasan_device_stop *stop,
                          struct gasan_report_suspect *suspects, uint32_t all, uint64_t others) {
  uint32_t count = sort(suspects, all);
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
  print_suspects(suspects, count, others);
  if (count)
    gasan_report_summary_stack(gasan_kind_name(stop->kind), suspects[0].stack);
  else
    gasan_report_summary(gasan_kind_name(stop->kind), NULL, 0, 0, NULL);
  gasan_report_close();
}
