/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/launch_log.h"

#include <pthread.h>
#include <string.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/memory/upload.h"

#define LOG_SIZE 8192u
#define MOST_ASKED 64u /* launches that are checked for completion one by one */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gasan_launch launch_log[LOG_SIZE]; /* by id % LOG_SIZE */
static _Atomic uint64_t last_id;                 /* written under log_lock */
static uint64_t complete_id[GASAN_RT_DEVICES];   /* by device: launches up to this one are complete */
/* The gate. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* Streams for which the program has waited lately. A new entry may replace an old one, which only makes matches less
 * exact. */
#define STREAMS 64u
static struct {
  void *stream;
  int ordinal;
  uint64_t complete;
} streams[STREAMS];
static uint32_t next_stream;

/* Adds to a count that is written under log_lock only, without a locked instruction. */
static uint64_t add_to(_Atomic uint64_t *count, uint64_t amount) {
  const uint64_t sum = atomic_load_explicit(count, memory_order_relaxed) + amount;
  atomic_store_explicit(count, sum, memory_order_release);
  return sum;
}

uint64_t gasan_launch_log_add(struct gasan_rt_device *state, const struct gasan_launch *launch) {
  pthread_mutex_lock(&log_lock);
  add_to(&state->launches->launches, 1);
  uint64_t number = add_to(&state->launches->grids, 1), id = add_to(&last_id, 1);
  struct gasan_launch *entry = &launch_log[id % LOG_SIZE];
  *entry = *launch;
  entry->number = number;
  entry->id = id;
  pthread_mutex_unlock(&log_lock);
  return number;
}

void gasan_launch_log_remove(struct gasan_rt_device *state, uint64_t number) {
  pthread_mutex_lock(&log_lock);
  struct gasan_launch *last = &launch_log[last_id % LOG_SIZE];
  if (number && state->launches->grids == number) {
    add_to(&state->launches->grids, UINT64_MAX);
    if (last->ordinal == state->device->ordinal && last->number == number)
      last->id = 0;
  }
  pthread_mutex_unlock(&log_lock);
}

void gasan_launch_log_count_own(struct gasan_rt_device *state) {
  pthread_mutex_lock(&log_lock);
  add_to(&state->launches->grids, 1);
  pthread_mutex_unlock(&log_lock);
}

void gasan_launch_mark_waited(struct gasan_rt_device *state, uint64_t number) {
  pthread_mutex_lock(&log_lock);
  struct gasan_launch *last = &launch_log[last_id % LOG_SIZE];
  if (last->ordinal == state->device->ordinal && last->number == number)
    last->waited = true;
  pthread_mutex_unlock(&log_lock);
}

void gasan_launch_mark_complete(struct gasan_rt_device *state) {
  pthread_mutex_lock(&log_lock);
  complete_id[state->device->ordinal] = last_id;
  pthread_mutex_unlock(&log_lock);
}

void gasan_launch_mark_stream(struct gasan_rt_device *state, void *stream) {
  pthread_mutex_lock(&log_lock);
  uint32_t i = 0;
  while (i < STREAMS &&
         !(streams[i].complete && streams[i].stream == stream && streams[i].ordinal == state->device->ordinal))
    i++;
  if (i == STREAMS)
    i = next_stream++ % STREAMS;
  streams[i].stream = stream;
  streams[i].ordinal = state->device->ordinal;
  streams[i].complete = last_id;
  pthread_mutex_unlock(&log_lock);
}

static bool is_complete(const struct gasan_launch *launch) {
  if (launch->waited || launch->id <= complete_id[launch->ordinal])
    return true;
  for (uint32_t i = 0; i < STREAMS; i++)
    if (streams[i].stream == launch->stream && streams[i].ordinal == launch->ordinal &&
        launch->id <= streams[i].complete)
      return true;
  return false;
}

bool gasan_launch_is_complete(const struct gasan_launch *launch) {
  pthread_mutex_lock(&log_lock);
  bool complete = is_complete(launch);
  pthread_mutex_unlock(&log_lock);
  return complete;
}

uint64_t gasan_launch_latest(void) {
  return atomic_load_explicit(&last_id, memory_order_acquire);
}

bool gasan_launch_complete_until(const struct gasan_rt_device *state, uint64_t id) {
  if (state->device->kind == &gasan_device_cpu)
    return state->device->kind->idle(state->device);
  if (gasan_upload_may_miss_launches())
    return false;
  pthread_mutex_lock(&log_lock);
  uint64_t next = complete_id[state->device->ordinal] + 1;
  bool complete = next > id || id - next < MOST_ASKED;
  for (; complete && next <= id; next++) {
    const struct gasan_launch *launch = &launch_log[next % LOG_SIZE];
    complete = launch->id == next ? launch->ordinal != state->device->ordinal || is_complete(launch) : !launch->id;
  }
  pthread_mutex_unlock(&log_lock);
  return complete;
}

bool gasan_launch_with_unknown_stack(struct gasan_rt_device *state, struct gasan_launch *launch) {
  bool found = false;
  pthread_mutex_lock(&log_lock);
  uint64_t oldest = last_id >= LOG_SIZE ? last_id - LOG_SIZE + 1 : 1;
  for (uint64_t id = last_id; id >= oldest && id > 0 && !found; id--) {
    const struct gasan_launch *candidate = &launch_log[id % LOG_SIZE];
    found = candidate->id && candidate->kernel && candidate->ordinal == state->device->ordinal &&
            !is_complete(candidate) && atomic_load(&candidate->kernel->unknown_stack);
    if (found)
      *launch = *candidate;
  }
  pthread_mutex_unlock(&log_lock);
  return found;
}

static bool from_one_place(const struct gasan_launch *a, const struct gasan_launch *b) {
  return a->kernel == b->kernel && a->name == b->name && a->graph == b->graph && a->stack == b->stack &&
         a->thread == b->thread;
}

static bool has_symbol(const struct gasan_graph_kernel *kernel, const void *symbol) {
  return kernel->kernel && strcmp(kernel->kernel->name, symbol) == 0;
}

bool gasan_launch_of_kernel(const struct gasan_launch *launch, const void *symbol) {
  struct gasan_graph_kernel unused;
  if (!symbol)
    return true;
  if (launch->graph)
    return gasan_graph_find_kernel(launch->graph, has_symbol, symbol, &unused);
  const char *name = launch->kernel ? launch->kernel->name : launch->name;
  return name && strcmp(name, symbol) == 0;
}

bool gasan_launch_unfinished(const struct gasan_launch *launch, const void *symbol) {
  return !is_complete(launch) && gasan_launch_of_kernel(launch, symbol);
}

uint64_t gasan_launch_oldest(struct gasan_launch *launch) {
  pthread_mutex_lock(&log_lock);
  uint64_t id = last_id >= LOG_SIZE ? last_id - LOG_SIZE + 1 : 1;
  *launch = launch_log[id % LOG_SIZE];
  pthread_mutex_unlock(&log_lock);
  return id;
}

void gasan_launch_log_rename_stream(void *stream, void *token) {
  pthread_mutex_lock(&log_lock);
  for (uint32_t i = 0; i < LOG_SIZE; i++)
    if (launch_log[i].stream == stream)
      launch_log[i].stream = token;
  for (uint32_t i = 0; i < STREAMS; i++)
    if (streams[i].stream == stream)
      streams[i].stream = token;
  pthread_mutex_unlock(&log_lock);
}

uint32_t gasan_launch_groups(struct gasan_rt_device *state,
                             bool (*wanted)(const struct gasan_launch *launch, const void *context),
                             const void *context, struct gasan_launch_group *groups, uint32_t most, uint64_t *others) {
  uint32_t count = 0;
  *others = 0;
  pthread_mutex_lock(&log_lock);
  uint64_t oldest = last_id >= LOG_SIZE ? last_id - LOG_SIZE + 1 : 1;
  for (uint64_t id = last_id; id >= oldest && id > 0; id--) {
    const struct gasan_launch *launch = &launch_log[id % LOG_SIZE];
    if (!launch->id || launch->ordinal != state->device->ordinal || !wanted(launch, context))
      continue;
    uint32_t i = 0;
    while (i < count && !from_one_place(&groups[i].latest, launch))
      i++;
    if (i == most) {
      ++*others;
      continue;
    }
    if (i == count)
      groups[count++] = (struct gasan_launch_group){.latest = *launch};
    groups[i].count++;
  }
  pthread_mutex_unlock(&log_lock);
  return count;
}

void gasan_launch_begin(void) {
  pthread_mutex_lock(&gate);
}

bool gasan_launch_hold(void) {
  return pthread_mutex_trylock(&gate) == 0;
}

void gasan_launch_release(void) {
  pthread_mutex_unlock(&gate);
}

/* The data of a fault that identifies its launch. */
struct fault {
  const struct gasan_rt_device *state;
  const struct gasan_record *record;
  const struct gasan_sites *sites;
  const struct gasan_site *site;
};

static bool kernel_fits(const struct gasan_graph_kernel *kernel, const void *context) {
  const struct fault *fault = context;
  const struct gasan_record *record = fault->record;
  if (!kernel->kernel || gasan_module_id(kernel->kernel->module) != record->module_id ||
      memcmp(kernel->grid, record->grid_dim, sizeof kernel->grid) != 0 ||
      memcmp(kernel->block, record->block_dim, sizeof kernel->block) != 0)
    return false;
  return !fault->sites || !fault->site || gasan_sites_reaches(fault->sites, fault->site, kernel->kernel->name);
}

/* Returns true if the launch may have caused the fault. Narrows a graph's launch to the graph's matching kernel. */
static bool match_launch(struct gasan_launch *launch, const struct fault *fault) {
  struct gasan_graph_kernel kernel = {.kernel = launch->checked ? launch->kernel : NULL};
  if (!launch->id || launch->ordinal != fault->state->device->ordinal)
    return false;
  if (!launch->graph) {
    memcpy(kernel.grid, launch->grid, sizeof kernel.grid);
    memcpy(kernel.block, launch->block, sizeof kernel.block);
    return kernel_fits(&kernel, fault);
  }
  if (!gasan_graph_find_kernel(launch->graph, kernel_fits, fault, &kernel))
    return false;
  launch->kernel = kernel.kernel;
  memcpy(launch->grid, kernel.grid, sizeof launch->grid);
  memcpy(launch->block, kernel.block, sizeof launch->block);
  launch->node_stack = kernel.stack;
  launch->node_thread = kernel.thread;
  launch->node_captured = kernel.captured;
  return true;
}

/* Compares only the low halves of the numbers, because a grid reads only the low half of its number. */
static bool has_number(const struct gasan_launch *launch, uint64_t number) {
  return launch->number && (uint32_t)(number - launch->number) < launch->grids;
}

bool gasan_launch_find(struct gasan_rt_device *state, const struct gasan_record *record,
                       const struct gasan_sites *sites, struct gasan_launch *launch) {
  struct fault fault = {state, record, sites, sites ? gasan_sites_site(sites, record->site) : NULL};
  bool found = false;
  pthread_mutex_lock(&log_lock);
  uint64_t oldest = last_id >= LOG_SIZE ? last_id - LOG_SIZE + 1 : 1;
  /* Search from the newest launch on. The last match is the earliest launch that may still run. Of complete launches,
   * the first match, which is the newest, counts. */
  for (uint64_t id = last_id; id >= oldest && id > 0; id--) {
    struct gasan_launch candidate = launch_log[id % LOG_SIZE];
    if (!match_launch(&candidate, &fault))
      continue;
    bool exact = !state->launches->numbers_shifted && has_number(&candidate, record->grid_id);
    if (exact || !found || !is_complete(&candidate))
      *launch = candidate;
    found = true;
    if (exact)
      break;
  }
  pthread_mutex_unlock(&log_lock);
  return found;
}

bool gasan_launch_numbered(struct gasan_rt_device *state, uint64_t number, struct gasan_launch *launch) {
  bool found = false;
  pthread_mutex_lock(&log_lock);
  uint64_t oldest = last_id >= LOG_SIZE ? last_id - LOG_SIZE + 1 : 1;
  for (uint64_t id = last_id; number && id >= oldest && id > 0 && !found; id--) {
    const struct gasan_launch *candidate = &launch_log[id % LOG_SIZE];
    found = candidate->id && candidate->ordinal == state->device->ordinal && has_number(candidate, number);
    if (found)
      *launch = *candidate;
  }
  pthread_mutex_unlock(&log_lock);
  return found;
}

void gasan_launch_log_count_grids(struct gasan_rt_device *state, uint64_t number) {
  const struct gasan_device_kind *kind = state->device->kind;
  pthread_mutex_lock(&log_lock);
  struct gasan_launch *launch = &launch_log[last_id % LOG_SIZE];
  if (kind->launch_id) {
    state->launches->grids = kind->launch_id() - 1;
    if (launch->graph && launch->number == number)
      launch->grids = kind->launch_id() - number;
  } else {
    state->launches->numbers_shifted = true;
  }
  pthread_mutex_unlock(&log_lock);
}
