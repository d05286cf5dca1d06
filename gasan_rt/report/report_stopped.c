#include "gasan_rt/report/report_stopped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define MOST_GROUPS 64u
#define MOST_PRINTED 8u
#define MOST_GRAPH_KERNELS 8u

const char *gasan_report_unchecked(struct gasan_rt_device *state, const struct gasan_launch *launch) {
  if (launch->graph)
    return NULL;
  if (!launch->checked)
    return "is not instrumented";
  const struct gasan_sites *sites = gasan_module_sites(gasan_module_id(launch->kernel->module), state);
  return sites && !gasan_sites_kernel_sites(sites, launch->kernel->name) ? "has no checks" : NULL;
}

static bool is_suppressed(const struct gasan_launch *launch) {
  return launch->kernel && gasan_suppressed("kernel", gasan_kernel_title(launch->kernel).text);
}

/* Leaves suppressed launches out. Kernels without checks first: an access of the others would have been checked, most likely. */
static uint32_t sort_groups(struct gasan_rt_device *state, struct gasan_launch_group *groups, uint32_t count) {
  struct gasan_launch_group *sorted = malloc(MOST_GROUPS * sizeof *sorted);
  GASAN_CHECK(sorted);
  uint32_t left = 0;
  for (int checked = 0; checked < 2; checked++)
    for (uint32_t i = 0; i < count; i++)
      if ((gasan_report_unchecked(state, &groups[i].latest) == NULL) == checked && !is_suppressed(&groups[i].latest))
        sorted[left++] = groups[i];
  memcpy(groups, sorted, left * sizeof *groups);
  free(sorted);
  return left;
}

/* Names the graph's kernels, each once. */
struct graph_names {
  const struct gasan_kernel *kernels[MOST_GRAPH_KERNELS];
  uint32_t count;
};

static bool note_name(const struct gasan_graph_kernel *kernel, const void *context) {
  struct graph_names *names = *(struct graph_names *const *)context;
  for (uint32_t i = 0; i < names->count; i++)
    if (names->kernels[i] == kernel->kernel)
      return false;
  if (kernel->kernel && names->count < MOST_GRAPH_KERNELS)
    names->kernels[names->count++] = kernel->kernel;
  return false;
}

static void print_graph(const struct gasan_launch *launch) {
  struct graph_names names = {.count = 0}, *context = &names;
  struct gasan_graph_kernel none;
  gasan_graph_find_kernel(launch->graph, note_name, &context, &none);
  gasan_printf("a graph");
  for (uint32_t i = 0; i < names.count; i++)
    gasan_printf("%s%s", i ? ", " : " with ", gasan_kernel_title(names.kernels[i]).text);
}

static void print_kernel(struct gasan_rt_device *state, const struct gasan_launch *launch) {
  char grid[64], block[64];
  gasan_report_shape(launch->grid, grid, sizeof grid);
  gasan_report_shape(launch->block, block, sizeof block);
  const char *unchecked = gasan_report_unchecked(state, launch);
  gasan_printf("%s<<<%s, %s>>>", launch->kernel ? gasan_kernel_title(launch->kernel).text : "a kernel", grid, block);
  if (unchecked)
    gasan_printf(" (%s)", unchecked);
}

static void print_group(struct gasan_rt_device *state, const struct gasan_launch_group *group) {
  const struct gasan_launch *launch = &group->latest;
  gasan_printf("%s", gasan_color(GASAN_COLOR_ALLOCATION));
  if (launch->graph)
    print_graph(launch);
  else
    print_kernel(state, launch);
  gasan_printf(" launched here");
  if (group->count > 1)
    gasan_printf(" %llu times", (unsigned long long)group->count);
  gasan_printf(" by host thread T%u:%s\n", launch->thread, gasan_color(GASAN_COLOR_DEFAULT));
  gasan_stack_print(launch->stack, 0, false);
  gasan_printf("\n");
}

static void print_groups(struct gasan_rt_device *state, const struct gasan_launch_group *groups, uint32_t count, uint64_t others) {
  if (!count) {
    gasan_printf("No launch that gasan has seen may have run: a library or the driver API has launched the kernel\n\n");
    return;
  }
  gasan_printf(count == 1 && !others ? "Only this kernel may have run:\n" : "These kernels may have run, the likeliest first:\n");
  for (uint32_t i = 0; i < count; i++) {
    if (i < MOST_PRINTED)
      print_group(state, &groups[i]);
    else
      others += groups[i].count;
  }
  if (others)
    gasan_printf("%llu more launch%s may have run\n\n", (unsigned long long)others, others == 1 ? "" : "es");
}

void gasan_report_stopped(struct gasan_rt_device *state, const struct gasan_device_stop *stop) {
  struct gasan_launch_group *groups = malloc(MOST_GROUPS * sizeof *groups);
  GASAN_CHECK(groups);
  uint64_t others = 0;
  uint32_t all = gasan_launch_unfinished(state, groups, MOST_GROUPS, &others), count = sort_groups(state, groups, all);
  if (all && !count && !others) {
    free(groups);
    return;
  }
  char place[128];
  snprintf(place, sizeof place, " on %s device %d unknown address", state->device->kind->name, state->device->ordinal);
  gasan_report_open(stop->kind, place);
  gasan_printf("%sThe device has stopped a kernel (CUDA error %d, %s) for %s%s\n", gasan_color(GASAN_COLOR_ACCESS), stop->error,
               stop->name, stop->what, gasan_color(GASAN_COLOR_DEFAULT));
  gasan_printf("No check covered it, and the device does not say which kernel, thread or line it was\n\n");
  print_groups(state, groups, count, others);
  if (count)
    gasan_report_summary_stack(gasan_kind_name(stop->kind), groups[0].latest.stack);
  else
    gasan_report_summary(gasan_kind_name(stop->kind), NULL, 0, 0, NULL);
  free(groups);
  gasan_report_close();
}
