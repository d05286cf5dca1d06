/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_suspects.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_note.h"
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

uint32_t gasan_report_sort_suspects(struct gasan_report_suspect *suspects, uint32_t count) {
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

static void note_suspect(const struct gasan_report_suspect *suspect) {
  char title[500];
  gasan_note_host_stack(GASAN_DOC_SUSPECT, suspect->thread);
  if (suspect->kernel_count)
    gasan_note_kernel(title_of(suspect->kernels[0], title, sizeof title));
  if (!suspect->is_graph)
    gasan_note_shape(suspect->grid, suspect->block);
  gasan_note_unchecked(suspect->unchecked);
  gasan_note_count(suspect->count);
}

static void print_suspect(const struct gasan_report_suspect *suspect) {
  gasan_printf("%s", gasan_color(GASAN_COLOR_ALLOCATION));
  (suspect->is_graph ? print_graph : print_kernel)(suspect);
  gasan_printf(" launched here");
  if (suspect->count > 1)
    gasan_printf(" %llu times", (unsigned long long)suspect->count);
  gasan_printf(" by host thread T%u:%s\n", suspect->thread, gasan_color(GASAN_COLOR_DEFAULT));
  note_suspect(suspect);
  gasan_stack_print(suspect->stack, 0, false);
  gasan_printf("\n");
}

void gasan_report_print_suspects(const char *heading, const char *have, const struct gasan_report_suspect *suspects,
                                 uint32_t count, uint64_t others) {
  gasan_printf("%s\n", heading);
  for (uint32_t i = 0; i < count; i++) {
    if (i < MOST_PRINTED)
      print_suspect(&suspects[i]);
    else
      others += suspects[i].count;
  }
  if (others)
    gasan_printf("%llu more launch%s may %s\n\n", (unsigned long long)others, others == 1 ? "" : "es", have);
}
