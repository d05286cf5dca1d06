/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/mlb/model.h"

#include <stdlib.h>
#include <string.h>

#define ISSUE_WIDTH 4.0
#define SIMULATED_LOADS 64u /* of one search */

/* One multiprocessor; the numbers are of one launch. */
struct multiprocessor {
  struct mlb_cache l1;
  double steps, memory, metadata, base_latency, latency, search;
};

struct mlb_model {
  struct mlb_machine machine;
  struct mlb_result result;
  struct mlb_cache l2;
  struct multiprocessor *sms;
  struct mlb_buffer *buffers;
};

struct mlb_machine mlb_machine_default(void) {
  return (struct mlb_machine){
      .sms = 108,
      .share = 1,
      .entries = 8,
      .searches = 32,
      .structure = MLB_TREE,
      .l1_bytes = 192u << 10,
      .l2_bytes = 40u << 20,
      .latencies = {.instruction = 2, .buffer = 2, .check = 3, .l1 = 33, .l2 = 200, .memory = 470}};
}

static void empty_buffers(struct mlb_model *model) {
  const struct mlb_machine *m = &model->machine;
  for (uint32_t i = 0; i < m->sms; i++)
    model->buffers[i] = (struct mlb_buffer){.entries = m->entries, .random = m->random, .state = i + 1};
}

struct mlb_model *mlb_model_make(struct mlb_machine machine) {
  struct mlb_model *model = calloc(1, sizeof *model);
  if (!model)
    return NULL;
  model->machine = machine;
  model->sms = calloc(machine.sms, sizeof *model->sms);
  model->buffers = calloc(machine.sms, sizeof *model->buffers);
  bool complete = model->sms && model->buffers && mlb_cache_make(&model->l2, machine.l2_bytes);
  for (uint32_t i = 0; complete && i < machine.sms; i++)
    complete = mlb_cache_make(&model->sms[i].l1, machine.l1_bytes);
  if (complete) {
    empty_buffers(model);
    return model;
  }
  mlb_model_free(model);
  return NULL;
}

void mlb_model_free(struct mlb_model *model) {
  for (uint32_t i = 0; model->sms && i < model->machine.sms; i++)
    mlb_cache_free(&model->sms[i].l1);
  mlb_cache_free(&model->l2);
  free(model->sms);
  free(model->buffers);
  free(model);
}

/* Returns the latency of a load by a multiprocessor. */
static uint32_t load(struct mlb_model *model, struct multiprocessor *sm, uint64_t address) {
  const struct mlb_latencies *latencies = &model->machine.latencies;
  if (mlb_cache_load(&sm->l1, address))
    return latencies->l1;
  return mlb_cache_load(&model->l2, address) ? latencies->l2 : latencies->memory;
}

struct search {
  struct mlb_model *model;
  struct multiprocessor *sm;
  uint64_t loads, cycles;
};

static void load_metadata(uint64_t address, void *context) {
  struct search *search = context;
  const uint32_t cycles = load(search->model, search->sm, address);
  search->loads++;
  search->cycles += cycles;
  search->model->result.l1_hits += cycles == search->model->machine.latencies.l1;
}

/* Adds the loads of a long list that are not simulated. A list that takes at most half of the L1 cache stays there. A
 * longer one does not: the first load of each line is one of the L2 cache. */
static void add_long_list(struct search *search, uint64_t allocations, uint64_t loads) {
  const struct mlb_machine *m = &search->model->machine;
  const uint64_t size = mlb_structure_size(MLB_LIST, allocations), in_line = MLB_LINE * allocations / size;
  const uint64_t far = size > m->l1_bytes / 2 ? loads / in_line : 0;
  search->loads += loads;
  search->cycles += far * m->latencies.l2 + (loads - far) * m->latencies.l1;
  search->model->result.l1_hits += loads - far;
}

/* Searches an allocation's metadata. Returns the cycles. */
static uint64_t search(struct mlb_model *model, struct multiprocessor *sm, uint64_t allocations, uint64_t allocation) {
  struct search search = {.model = model, .sm = sm};
  const uint64_t loads =
      mlb_structure_search(model->machine.structure, allocations, allocation, SIMULATED_LOADS, load_metadata, &search);
  if (loads > search.loads)
    add_long_list(&search, allocations, loads - search.loads);
  model->result.loads += search.loads;
  sm->metadata += (double)search.loads;
  sm->search += (double)search.cycles;
  return search.cycles;
}

/* LOADMETA. Returns the cycles. */
static uint64_t look_up(struct mlb_model *model, struct multiprocessor *sm, struct mlb_buffer *buffer,
                        uint64_t allocations, uint64_t allocation) {
  model->result.lookups++;
  if (mlb_buffer_find(buffer, allocation)) {
    model->result.lookup_hits++;
    return model->machine.latencies.buffer;
  }
  mlb_buffer_put(buffer, allocation);
  return model->machine.latencies.buffer + search(model, sm, allocations, allocation);
}

/* MEMCHECK.G: on a miss, the metadata's location is known. Returns the cycles. */
static uint64_t check(struct mlb_model *model, struct multiprocessor *sm, struct mlb_buffer *buffer,
                      uint64_t allocation) {
  const struct mlb_latencies *latencies = &model->machine.latencies;
  model->result.checks++;
  if (mlb_buffer_find(buffer, allocation)) {
    model->result.check_hits++;
    return latencies->buffer + latencies->check;
  }
  mlb_buffer_put(buffer, allocation);
  const uint32_t cycles = load(model, sm, mlb_structure_location(model->machine.structure, allocation));
  model->result.loads++;
  model->result.l1_hits += cycles == latencies->l1;
  sm->metadata += 1;
  return latencies->buffer + latencies->check + cycles;
}

/* Runs one request. Returns its added cycles. */
static uint64_t run_request(struct mlb_model *model, struct multiprocessor *sm, struct mlb_buffer *buffer,
                            uint64_t allocations, uint64_t allocation, bool is_lookup) {
  if (model->machine.hardware_only)
    return look_up(model, sm, buffer, allocations, allocation) + model->machine.latencies.check;
  return is_lookup ? look_up(model, sm, buffer, allocations, allocation) : check(model, sm, buffer, allocation);
}

/* The requests of a warp go through the unit one a cycle. The slowest one delays the warp. */
static void run_step(struct mlb_model *model, const struct mlb_launch *launch, const struct mlb_stream *stream,
                     const struct mlb_step *step) {
  const struct mlb_machine *m = &model->machine;
  struct multiprocessor *sm = &model->sms[step->sm];
  struct mlb_buffer *buffer = &model->buffers[step->sm / m->share];
  const bool is_lookup = step->type == GASAN_TRACE_LOOKUP;
  uint64_t slowest = 0, added = 0, last = MLB_NONE;
  if (is_lookup && m->hardware_only)
    return;
  for (uint32_t i = 0; i < step->requests; i++) {
    const struct mlb_request *request = &stream->requests[step->first + i];
    uint64_t cycles = 0;
    /* MEMCHECK's operand is the location of the metadata: lanes of one allocation make one request. */
    if (m->hardware_only || is_lookup || request->allocation != last)
      cycles = i + run_request(model, sm, buffer, launch->allocation_count, request->allocation, is_lookup);
    last = request->allocation;
    added = cycles > added ? cycles : added;
    if (is_lookup)
      continue;
    cycles = i + load(model, sm, request->line * MLB_LINE);
    slowest = cycles > slowest && step->type != GASAN_TRACE_WRITE ? cycles : slowest;
    model->result.data++;
    sm->memory += 1;
  }
  sm->steps += 1;
  sm->base_latency += (double)slowest;
  sm->latency += (double)added;
}

static double greatest(double a, double b) {
  return a > b ? a : b;
}

/* Adds the launch's cycles. Each block counts as many instructions, and a multiprocessor by its records. */
static void add_cycles(struct mlb_model *model, const struct mlb_launch *launch, const struct mlb_stream *stream) {
  const double instructions = (double)launch->head.instructions / 32,
               resident = stream->resident ? stream->resident : 1;
  double steps = 0, base = 0, with = 0;
  for (uint32_t i = 0; i < model->machine.sms; i++)
    steps += model->sms[i].steps;
  for (uint32_t i = 0; i < model->machine.sms && steps > 0; i++) {
    struct multiprocessor *sm = &model->sms[i];
    const double own = instructions * sm->steps / steps, issue = own / ISSUE_WIDTH,
                 latency = own * model->machine.latencies.instruction + sm->base_latency;
    base = greatest(base, greatest(issue, greatest(sm->memory, latency / resident)));
    with = greatest(with, greatest(greatest(issue, sm->memory + sm->metadata),
                                   greatest((latency + sm->latency) / resident, sm->search / model->machine.searches)));
    const struct mlb_cache l1 = sm->l1;
    *sm = (struct multiprocessor){.l1 = l1};
  }
  model->result.base_cycles += base;
  model->result.cycles += greatest(base, with);
}

void mlb_model_run(struct mlb_model *model, const struct mlb_launch *launch, const struct mlb_stream *stream) {
  if (launch->changed)
    empty_buffers(model);
  for (uint64_t i = 0; i < stream->step_count; i++)
    run_step(model, launch, stream, &stream->steps[i]);
  add_cycles(model, launch, stream);
}

struct mlb_result mlb_model_result(const struct mlb_model *model) {
  return model->result;
}
