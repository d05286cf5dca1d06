/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/launch_inputs.h"

#include <pthread.h>
#include <string.h>

#include "gasan_rt/launch/launch_log.h"

#define KEPT 512u

static struct {
  int ordinal;
  uint64_t number;
  struct gasan_launch_inputs inputs;
} kept[KEPT];
static uint32_t next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void gasan_launch_inputs_read(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                              const struct gasan_launch_shape *shape, bool is_proven,
                              struct gasan_launch_inputs *inputs) {
  const struct gasan_proof *proof = gasan_launch_proof_of(kernel, state);
  const struct gasan_proof_launch launch = {.arguments = shape->arguments};
  inputs->dynamic_shared = shape->dynamic_shared;
  inputs->count = 0;
  if (proof && (!is_proven || gasan_proof_explains_proven(proof)))
    inputs->count = gasan_proof_copy_inputs(proof, &launch, inputs->values);
}

void gasan_launch_inputs_keep(const struct gasan_rt_device *state, uint64_t number,
                              const struct gasan_launch_inputs *inputs) {
  if (!inputs->count)
    return;
  pthread_mutex_lock(&lock);
  kept[next % KEPT].ordinal = state->device->ordinal;
  kept[next % KEPT].number = number;
  kept[next % KEPT].inputs.count = inputs->count;
  kept[next % KEPT].inputs.dynamic_shared = inputs->dynamic_shared;
  memcpy(kept[next % KEPT].inputs.values, inputs->values, inputs->count * sizeof *inputs->values);
  next++;
  pthread_mutex_unlock(&lock);
}

/* Finds the latest inputs with this number: the number of a launch that failed is used again. */
static bool find(const struct gasan_launch *launch, struct gasan_launch_inputs *inputs) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (uint32_t i = 1; i <= KEPT && !found; i++) {
    found = kept[(next - i) % KEPT].ordinal == launch->ordinal && kept[(next - i) % KEPT].number == launch->number;
    if (found)
      *inputs = kept[(next - i) % KEPT].inputs;
  }
  pthread_mutex_unlock(&lock);
  return found && inputs->count;
}

static bool explain(const struct gasan_proof *proof, const struct gasan_record *record,
                    const struct gasan_launch_inputs *inputs, struct gasan_proof_explanation *explanation) {
  struct gasan_proof_launch shape = {.dynamic_shared = inputs->dynamic_shared};
  struct gasan_proof_access access = {.site = record->site,
                                      .address = record->address,
                                      .size = record->size,
                                      .base = record->bounds_base,
                                      .bounds_size = record->bounds_size};
  memcpy(shape.grid, record->grid_dim, sizeof shape.grid);
  memcpy(shape.block, record->block_dim, sizeof shape.block);
  memcpy(access.thread.thread, record->thread, sizeof access.thread.thread);
  memcpy(access.thread.block, record->block, sizeof access.thread.block);
  return gasan_proof_explain(proof, &shape, inputs->values, &access, explanation);
}

static bool is_same(const struct gasan_proof_explanation *a, const struct gasan_proof_explanation *b) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = !strcmp(a->facts[i].expression, b->facts[i].expression) && !strcmp(a->facts[i].value, b->facts[i].value);
  return same;
}

/* The record does not name the node. So all nodes with this kernel and shape that can have made the access must have
 * one explanation. */
static bool explain_graph(const struct gasan_proof *proof, const struct gasan_launch *launch,
                          const struct gasan_record *record, struct gasan_proof_explanation *explanation) {
  struct gasan_launch_inputs inputs[GASAN_GRAPH_INPUTS];
  struct gasan_graph_kernel kernel = {.kernel = launch->kernel};
  struct gasan_proof_explanation other;
  bool found = false;
  memcpy(kernel.grid, record->grid_dim, sizeof kernel.grid);
  memcpy(kernel.block, record->block_dim, sizeof kernel.block);
  const uint32_t count = gasan_graph_copy_inputs(launch->graph, &kernel, inputs);
  for (uint32_t i = 0; i < count; i++) {
    if (!explain(proof, record, &inputs[i], found ? &other : explanation))
      continue;
    if (found && !is_same(&other, explanation))
      return false;
    found = true;
  }
  return found;
}

bool gasan_launch_inputs_explain(struct gasan_rt_device *state, const struct gasan_launch *launch,
                                 const struct gasan_record *record, struct gasan_proof_explanation *explanation) {
  struct gasan_launch_inputs inputs;
  if (record->code != GASAN_CODE_BST || !record->bounds_size || !launch->kernel || !launch->number)
    return false;
  const struct gasan_proof *proof = gasan_launch_proof_of(launch->kernel, state);
  if (proof && launch->graph)
    return explain_graph(proof, launch, record, explanation);
  return proof && find(launch, &inputs) && explain(proof, record, &inputs, explanation);
}
