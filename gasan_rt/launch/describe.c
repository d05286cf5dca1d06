/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/describe.h"

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/launch_filter.h"
#include "gasan_rt/launch/launch_inputs.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/launch/view_records.h"
#include "gasan_rt/memory/device_heap.h"
#include "gasan_rt/memory/foreign.h"

struct gasan_report_launch gasan_describe_launch(const struct gasan_launch *launch) {
  return (struct gasan_report_launch){
      .known = true,
      .kernel = launch->kernel ? launch->kernel->name : launch->name,
      .stack = launch->stack,
      .thread = launch->thread,
      .node_stack = launch->node_stack,
      .node_thread = launch->node_thread,
      .node_captured = launch->node_captured,
      .is_left_out = launch->graph ? gasan_launch_filter_leaves_kernel_out(launch->kernel) : launch->is_left_out};
}

/* Sets *launch only if the launch is known. */
static struct gasan_report_launch find_launch(struct gasan_rt_device *state, const struct gasan_record *record,
                                              const struct gasan_sites *sites, struct gasan_launch *launch) {
  return gasan_launch_find(state, record, sites, launch) ? gasan_describe_launch(launch)
                                                         : (struct gasan_report_launch){0};
}

struct gasan_device_fault gasan_describe_event(struct gasan_rt_device *state, const struct gasan_heap_event *event) {
  struct gasan_device_fault fault = {
      .state = state, .threads = 1, .sites = gasan_module_sites(event->module_id, state)};
  struct gasan_record *record = &fault.record;
  record->module_id = event->module_id;
  record->site = event->site;
  record->grid_id = event->grid_id;
  record->block_dim[0] = event->block_dim & 0x7ff;
  record->block_dim[1] = event->block_dim >> 11 & 0x7ff;
  record->block_dim[2] = event->block_dim >> 22;
  record->grid_dim[0] = event->grid_x;
  record->grid_dim[1] = event->grid_y;
  record->grid_dim[2] = event->grid_z;
  uint64_t rest = event->order;
  for (int i = 0; i < 3 && record->block_dim[i]; i++, rest /= record->block_dim[i - 1])
    record->thread[i] = (uint32_t)(rest % record->block_dim[i]);
  for (int i = 0; i < 3 && record->grid_dim[i]; i++, rest /= record->grid_dim[i - 1])
    record->block[i] = (uint32_t)(rest % record->grid_dim[i]);
  struct gasan_launch launch;
  fault.launch = find_launch(state, record, fault.sites, &launch);
  return fault;
}

static void find_range(const struct gasan_record *record, struct gasan_report_range *found) {
  struct gasan_foreign range;
  if (record->code != GASAN_CODE_BST || record->object != GASAN_OBJECT_MEMORY ||
      gasan_rt_owner((const void *)(uintptr_t)record->bounds_base) ||
      !gasan_foreign_explain(record->bounds_base, record->bounds_size, record->fault, &range))
    return;
  *found = (struct gasan_report_range){
      .known = true, .is_variable = range.kind == GASAN_FOREIGN_VARIABLE, .chunk = range.chunk};
}

static const struct gasan_report_heap *find_heap(struct gasan_rt_device *state, const struct gasan_record *record,
                                                 struct gasan_report_heap *heap) {
  struct gasan_heap_found found;
  if (record->code != GASAN_CODE_BST || record->object != GASAN_OBJECT_HEAP || !record->bounds_base ||
      !gasan_heap_lookup(state, record->bounds_base, &found))
    return NULL;
  *heap = (struct gasan_report_heap){
      .base = found.base, .chunk = found.chunk, .allocated = gasan_describe_event(state, &found.chunk.allocated)};
  if (found.chunk.state == GASAN_HEAP_FREED)
    heap->freed = gasan_describe_event(state, &found.chunk.freed);
  return heap;
}

static const struct gasan_view *find_view(const struct gasan_record *record, struct gasan_view *view) {
  if (!gasan_report_is_view(record) || !gasan_view_find((uint32_t)(record->bounds_size >> 32), view))
    return NULL;
  return view;
}

void gasan_describe_fault(struct gasan_rt_device *state, const struct gasan_record *record, uint64_t threads,
                          struct gasan_fault_description *description) {
  struct gasan_device_fault *fault = &description->fault;
  *fault = (struct gasan_device_fault){
      .state = state, .record = *record, .threads = threads, .sites = gasan_module_sites(record->module_id, state)};
  struct gasan_launch launch;
  fault->launch = find_launch(state, record, fault->sites, &launch);
  if (fault->launch.known && gasan_launch_inputs_explain(state, &launch, record, &description->why))
    fault->why = &description->why;
  find_range(record, &fault->range);
  fault->heap = find_heap(state, record, &description->heap);
  fault->view = find_view(record, &description->view);
}
