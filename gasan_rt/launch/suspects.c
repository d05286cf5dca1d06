/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/suspects.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/registry.h"

const char *gasan_suspect_unchecked(struct gasan_rt_device *state, const struct gasan_launch *launch) {
  if (launch->graph)
    return NULL;
  if (!launch->checked)
    return "is not instrumented";
  const struct gasan_sites *sites = gasan_module_sites(gasan_module_id(launch->kernel->module), state);
  return sites && !gasan_sites_kernel_sites(sites, launch->kernel->name) ? "has no checks" : NULL;
}

/* Adds each kernel of a graph once. */
static bool add_kernel(const struct gasan_graph_kernel *kernel, const void *context) {
  struct gasan_report_suspect *suspect = *(struct gasan_report_suspect *const *)context;
  for (uint32_t i = 0; kernel->kernel && i < suspect->kernel_count; i++)
    if (suspect->kernels[i] == kernel->kernel->name)
      return false;
  if (kernel->kernel && suspect->kernel_count < GASAN_SUSPECT_KERNELS)
    suspect->kernels[suspect->kernel_count++] = kernel->kernel->name;
  return false;
}

static void describe_suspect(struct gasan_rt_device *state, const struct gasan_launch_group *group,
                             struct gasan_report_suspect *suspect) {
  const struct gasan_launch *launch = &group->latest;
  *suspect = (struct gasan_report_suspect){.count = group->count,
                                           .stack = launch->stack,
                                           .thread = launch->thread,
                                           .is_graph = launch->graph || !launch->grid[0],
                                           .unchecked = gasan_suspect_unchecked(state, launch)};
  memcpy(suspect->grid, launch->grid, sizeof suspect->grid);
  memcpy(suspect->block, launch->block, sizeof suspect->block);
  struct gasan_graph_kernel none;
  if (launch->graph)
    gasan_graph_find_kernel(launch->graph, add_kernel, &suspect, &none);
  else if (launch->kernel)
    suspect->kernels[suspect->kernel_count++] = launch->kernel->name;
  else if (launch->name)
    suspect->kernels[suspect->kernel_count++] = launch->name;
}

uint32_t gasan_suspects_find(struct gasan_rt_device *state,
                             bool (*wanted)(const struct gasan_launch *launch, const void *context),
                             const void *context, struct gasan_report_suspect *suspects, uint64_t *others) {
  struct gasan_launch_group *groups = malloc(GASAN_SUSPECTS * sizeof *groups);
  GASAN_CHECK(groups);
  uint32_t count = gasan_launch_groups(state, wanted, context, groups, GASAN_SUSPECTS, others);
  for (uint32_t i = 0; i < count; i++)
    describe_suspect(state, &groups[i], &suspects[i]);
  free(groups);
  return count;
}

uint32_t gasan_suspects_of_kernel(struct gasan_rt_device *state, const char *symbol,
                                  struct gasan_report_suspect *suspects, uint64_t *others) {
  uint32_t count = gasan_suspects_find(state, gasan_launch_unfinished, symbol, suspects, others);
  if (count)
    return count;
  struct gasan_launch_group latest;
  count = gasan_launch_groups(state, gasan_launch_of_kernel, symbol, &latest, 1, others);
  latest.count = 1;
  *others = 0;
  if (count)
    describe_suspect(state, &latest, suspects);
  return count;
}

/* Of a group, only the latest launch's shape is known. */
static bool may_have_shape(const struct gasan_report_suspect *suspect, const uint32_t grid[3],
                           const uint32_t block[3]) {
  return suspect->is_graph || suspect->count > 1 ||
         (memcmp(suspect->grid, grid, sizeof suspect->grid) == 0 &&
          memcmp(suspect->block, block, sizeof suspect->block) == 0);
}

uint32_t gasan_suspects_of_shape(struct gasan_report_suspect *suspects, uint32_t count, const uint32_t grid[3],
                                 const uint32_t block[3]) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; i++)
    if (may_have_shape(&suspects[i], grid, block))
      suspects[left++] = suspects[i];
  return left;
}
