#include "gasan_rt/launch.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/capture.h"
#include "gasan_rt/device_error.h"
#include "gasan_rt/errors.h"
#include "gasan_rt/fast.h"
#include "gasan_rt/faults.h"
#include "gasan_rt/graph_proof.h"
#include "gasan_rt/home.h"
#include "gasan_rt/ordered.h"
#include "gasan_rt/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "gasan_rt/upload.h"
#include "gasan_rt/views.h"

#define LOG_SIZE 8192u
#define MOST_ASKED 64u /* launches that are asked one by one whether they are complete */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gasan_launch launch_log[LOG_SIZE]; /* by id % LOG_SIZE */
static uint64_t last_id;
static uint64_t complete_id[GASAN_RT_DEVICES]; /* by ordinal: launches up to this one are complete */
static _Atomic uint64_t unchecked;
/* Held from a launch's numbering until it is made, so that the device sees launches in the order of their numbers. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* Streams that were waited for lately; an old entry makes room for a new one, which only makes the match less sharp. */
#define STREAMS 64u
static struct {
  void *stream;
  int ordinal;
  uint64_t complete;
} streams[STREAMS];
static uint32_t next_stream;

/* Numbers the launch and writes it down. */
static uint64_t log_launch(struct gasan_rt_device *state, struct gasan_launch launch) {
  pthread_mutex_lock(&log_lock);
  state->launches++;
  launch.number = ++state->grids;
  launch.id = ++last_id;
  launch_log[launch.id % LOG_SIZE] = launch;
  pthread_mutex_unlock(&log_lock);
  return launch.number;
}

/* A launch that failed started no grid: its number goes to the next one. */
static void unlog_launch(struct gasan_rt_device *state, uint64_t number) {
  pthread_mutex_lock(&log_lock);
  struct gasan_launch *last = &launch_log[last_id % LOG_SIZE];
  if (number && state->grids == number) {
    state->grids--;
    if (last->ordinal == state->device->ordinal && last->number == number)
      last->id = 0;
  }
  pthread_mutex_unlock(&log_lock);
}

/* Do launches of kernels return when the kernel has ended? */
static bool launches_wait(void) {
  static _Atomic int known; /* 1: no, 2: yes */
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (!answer) {
    const char *value = getenv("CUDA_LAUNCH_BLOCKING");
    answer = value && atoi(value) ? 2 : 1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2;
}

static void mark_waited(struct gasan_rt_device *state, uint64_t number) {
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
  while (i < STREAMS && !(streams[i].complete && streams[i].stream == stream && streams[i].ordinal == state->device->ordinal))
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
    if (streams[i].stream == launch->stream && streams[i].ordinal == launch->ordinal && launch->id <= streams[i].complete)
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
  pthread_mutex_lock(&log_lock);
  uint64_t id = last_id;
  pthread_mutex_unlock(&log_lock);
  return id;
}

bool gasan_launch_complete_until(const struct gasan_rt_device *state, uint64_t id) {
  if (state->device->kind == &gasan_device_cpu)
    return state->device->kind->idle(state->device);
  if (gasan_upload_launches_unseen())
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
    found = candidate->id && candidate->kernel && candidate->ordinal == state->device->ordinal && !is_complete(candidate) &&
            atomic_load(&candidate->kernel->unknown_stack);
    if (found)
      *launch = *candidate;
  }
  pthread_mutex_unlock(&log_lock);
  return found;
}

static bool from_one_place(const struct gasan_launch *a, const struct gasan_launch *b) {
  return a->kernel == b->kernel && a->graph == b->graph && a->stack == b->stack && a->thread == b->thread;
}

uint32_t gasan_launch_unfinished(struct gasan_rt_device *state, struct gasan_launch_group *groups, uint32_t most, uint64_t *others) {
  uint32_t count = 0;
  *others = 0;
  pthread_mutex_lock(&log_lock);
  uint64_t oldest = last_id >= LOG_SIZE ? last_id - LOG_SIZE + 1 : 1;
  for (uint64_t id = last_id; id >= oldest && id > 0; id--) {
    const struct gasan_launch *launch = &launch_log[id % LOG_SIZE];
    if (!launch->id || launch->ordinal != state->device->ordinal || is_complete(launch))
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

bool gasan_launch_hold(void) {
  return pthread_mutex_trylock(&gate) == 0;
}

void gasan_launch_release(void) {
  pthread_mutex_unlock(&gate);
}

uint64_t gasan_launch_unchecked(void) {
  return atomic_load(&unchecked);
}

/* What a launch must fit. */
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

/* A graph's launch then becomes that of the kernel that fits. */
static bool fits(struct gasan_launch *launch, const struct fault *fault) {
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

/* Numbers are compared as a grid knows its own: the low half. */
static bool has_number(const struct gasan_launch *launch, uint64_t number) {
  return launch->number && (uint32_t)(number - launch->number) < launch->grids;
}

bool gasan_launch_find(struct gasan_rt_device *state, const struct gasan_record *record,
                       const struct gasan_sites *sites, struct gasan_launch *launch) {
  struct fault fault = {state, record, sites, sites ? gasan_sites_site(sites, record->site) : NULL};
  bool found = false;
  pthread_mutex_lock(&log_lock);
  uint64_t oldest = last_id >= LOG_SIZE ? last_id - LOG_SIZE + 1 : 1;
  /* Newest first: the last one found is the earliest that may still run; of the complete ones the newest. */
  for (uint64_t id = last_id; id >= oldest && id > 0; id--) {
    struct gasan_launch candidate = launch_log[id % LOG_SIZE];
    if (!fits(&candidate, &fault))
      continue;
    bool exact = !state->numbers_shifted && has_number(&candidate, record->grid_id);
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

/* What a launch must find done. The result is for after_launch. */
struct pending {
  int refused; /* not cudaSuccess: there is no launch, and no after_launch */
  struct gasan_rt_device *state;
  bool uploaded; /* upload.h's calls around it */
  uint64_t number;
  bool captured; /* the launch becomes a node */
  cudaStream_t stream, meant; /* as in the call; not NULL where that means a thread's own */
  struct gasan_graph_kernel kernel;
  bool varies; /* *fast is to be tried first */
};

/* Not cudaSuccess: no launch may be made. */
static int upload(struct pending *pending) {
  int refused = gasan_upload_before_launch_in(pending->state, pending->meant);
  if (refused)
    gasan_upload_after_launch(pending->state);
  pending->uploaded = !refused;
  return refused;
}

static struct pending before_launch(const void *function, const struct gasan_fast_shape *shape, cudaStream_t stream, const char *api,
                                    struct gasan_fast_launch *fast) {
  struct pending pending = {.state = gasan_rt_current(), .stream = stream, .meant = shape->stream};
  struct gasan_rt_device *state = pending.state;
  if (!state)
    return pending;
  gasan_ordered_settle(stream);
  gasan_faults_peek(state);
  const struct gasan_kernel *kernel = function ? gasan_registry_kernel(function) : NULL;
  struct gasan_launch launch = {.ordinal = state->device->ordinal, .kernel = kernel, .stream = stream, .grids = 1,
                                .stack = gasan_stack_capture(api), .thread = gasan_thread_number()};
  memcpy(launch.grid, shape->grid, sizeof launch.grid);
  memcpy(launch.block, shape->block, sizeof launch.block);
  launch.checked = kernel && gasan_module_prepare(kernel, state);
  if (!launch.checked)
    atomic_fetch_add(&unchecked, 1);
  if (launch.checked)
    gasan_views_upload(state);
  gasan_faults_watch();
  const bool captured = gasan_capture_in(stream);
  pending.varies = launch.checked && !captured && gasan_fast_choose(launch.kernel, state, shape, fast);
  const bool uploads = !pending.varies || fast->looks_up || gasan_upload_is_wanted(state);
  if (uploads && (pending.refused = upload(&pending)))
    return pending;
  if (captured) {
    pending.captured = true;
    pending.kernel = (struct gasan_graph_kernel){.kernel = launch.checked ? kernel : NULL, .stack = launch.stack, .thread = launch.thread,
                                                 .ordinal = state->device->ordinal, .captured = true};
    memcpy(pending.kernel.grid, shape->grid, sizeof pending.kernel.grid);
    memcpy(pending.kernel.block, shape->block, sizeof pending.kernel.block);
    return pending;
  }
  pthread_mutex_lock(&gate);
  pending.number = log_launch(state, launch);
  state->device->kind->set_launch_id(pending.number);
  return pending;
}

static cudaError_t after_launch(struct pending pending, cudaError_t error) {
  if (!pending.state)
    return error;
  /* The error of a kernel that the device has stopped: of one before, unless the launch has waited for its own. */
  const bool waited = launches_wait(), failed = error != cudaSuccess && !pending.captured;
  if (failed && !waited)
    unlog_launch(pending.state, pending.number);
  gasan_device_error(pending.state, error);
  if (pending.uploaded)
    gasan_upload_after_launch(pending.state);
  if (pending.captured) {
    if (error == cudaSuccess && pending.kernel.kernel)
      gasan_graph_note_captured(pending.stream, &pending.kernel);
    return error;
  }
  if (failed && waited)
    unlog_launch(pending.state, pending.number);
  else if (waited)
    mark_waited(pending.state, pending.number);
  pthread_mutex_unlock(&gate);
  /* For any block there are enough registers, and for any grid that waits by cooperative groups (driver/registers.h). */
  if (pending.state->device->kind != &gasan_device_cpu && error == cudaErrorCooperativeLaunchTooLarge)
    gasan_rt_warn("a cooperative launch failed (%s): the checks need registers, so that fewer blocks fit at once. Ask "
                  "cudaOccupancyMaxActiveBlocksPerMultiprocessor, or compile with -Xcuda-ptxas --maxrregcount=32",
                  GASAN_REAL(cudaGetErrorName)(error));
  return error;
}

#define EXPORT __attribute__((visibility("default")))
#define SHAPE(dim) ((uint32_t[]){(dim).x, (dim).y, (dim).z})

/* What the kernel itself needs, after an attempt to launch a variant. Not cudaSuccess: it cannot be had. */
static cudaError_t fall_back(struct pending *pending) {
  return pending->state && !pending->uploaded ? gasan_set_error(upload(pending)) : cudaSuccess;
}

/* CUDA's calls for a variant and for the kernel itself. */
#define LAUNCH_EITHER(pending, fast, variant_call, kernel_call)                                      \
  ({                                                                                                 \
    cudaError_t error_ = cudaSuccess;                                                                \
    if ((pending).varies) {                                                                          \
      gasan_fast_launches(&(fast));                                                                  \
      error_ = (variant_call);                                                                       \
    }                                                                                                \
    if (!(pending).varies || !gasan_fast_launched(&(fast), error_)) {                                \
      error_ = fall_back(&(pending));                                                                \
      if (error_ == cudaSuccess)                                                                     \
        error_ = (kernel_call);                                                                      \
    }                                                                                                \
    after_launch((pending), error_);                                                                 \
  })

/* `simply`: nothing but a kernel and its shape is asked for. */
#define LAUNCH(name, as_called, simply)                                                                                    \
  EXPORT cudaError_t name(const void *function, struct dim3 grid, struct dim3 block, void **arguments,          \
                          size_t shared, cudaStream_t stream);                                                  \
  EXPORT cudaError_t name(const void *function, struct dim3 grid, struct dim3 block, void **arguments,          \
                          size_t shared, cudaStream_t stream) {                                                 \
    struct gasan_fast_launch fast;                                                                              \
    struct gasan_fast_shape shape = {SHAPE(grid), SHAPE(block), shared, arguments, as_called(stream), false};   \
    struct pending pending = before_launch(function, &shape, stream, #name, &fast);                             \
    if (pending.refused)                                                                                        \
      return gasan_set_error(pending.refused);                                                                  \
    if ((simply) && pending.varies && gasan_fast_launch_now(&fast, pending.state, &shape))                      \
      return after_launch(pending, cudaSuccess);                                                                \
    return LAUNCH_EITHER(pending, fast, GASAN_REAL(name)(fast.function, grid, block, fast.passed, shared, stream), \
                         GASAN_REAL(name)(function, grid, block, arguments, shared, stream));                   \
  }
LAUNCH(cudaLaunchKernel, GASAN_AS_CALLED, true)
LAUNCH(cudaLaunchKernel_ptsz, GASAN_AS_CALLED_ptsz, true)
LAUNCH(cudaLaunchCooperativeKernel, GASAN_AS_CALLED, false)
LAUNCH(cudaLaunchCooperativeKernel_ptsz, GASAN_AS_CALLED_ptsz, false)

#define LAUNCH_EX(name, as_called)                                                                                         \
  EXPORT cudaError_t name(const cudaLaunchConfig_t *config, const void *function, void **arguments);            \
  EXPORT cudaError_t name(const cudaLaunchConfig_t *config, const void *function, void **arguments) {           \
    struct gasan_fast_launch fast;                                                                              \
    struct pending pending = {0};                                                                               \
    if (config) {                                                                                               \
      struct gasan_fast_shape shape = {SHAPE(config->gridDim), SHAPE(config->blockDim), config->dynamicSmemBytes, arguments, \
                                       as_called(config->stream), false};                                       \
      pending = before_launch(function, &shape, config->stream, #name, &fast);                                  \
    }                                                                                                           \
    if (pending.refused)                                                                                        \
      return gasan_set_error(pending.refused);                                                                  \
    return LAUNCH_EITHER(pending, fast, GASAN_REAL(name)(config, fast.function, fast.passed),                \
                         GASAN_REAL(name)(config, function, arguments));                                        \
  }
LAUNCH_EX(cudaLaunchKernelExC, GASAN_AS_CALLED)
LAUNCH_EX(cudaLaunchKernelExC_ptsz, GASAN_AS_CALLED_ptsz)

/* nvcc's stubs launch by a kernel handle; its objects carry no checks, but the shadow must be up to date for what they call. */
#define LAUNCH_HANDLE(name, as_called)                                                                                \
  EXPORT cudaError_t name(cudaKernel_t kernel, struct dim3 grid, struct dim3 block, void **arguments,          \
                          size_t shared, cudaStream_t stream);                                                 \
  EXPORT cudaError_t name(cudaKernel_t kernel, struct dim3 grid, struct dim3 block, void **arguments,          \
                          size_t shared, cudaStream_t stream) {                                                \
    struct gasan_fast_shape shape = {SHAPE(grid), SHAPE(block), 0, NULL, as_called(stream), false};             \
    struct pending pending = before_launch(NULL, &shape, stream, #name, NULL);                                  \
    return pending.refused ? gasan_set_error(pending.refused)                                                  \
                           : after_launch(pending, GASAN_REAL(name)(kernel, grid, block, arguments, shared, stream)); \
  }
LAUNCH_HANDLE(__cudaLaunchKernel, GASAN_AS_CALLED)
LAUNCH_HANDLE(__cudaLaunchKernel_ptsz, GASAN_AS_CALLED_ptsz)

/* How many grids the graph has started: on the CPU device it is known, elsewhere the numbers are not trusted any more. */
static void count_grids(struct gasan_rt_device *state, uint64_t number) {
  const struct gasan_device_kind *kind = state->device->kind;
  pthread_mutex_lock(&log_lock);
  struct gasan_launch *launch = &launch_log[last_id % LOG_SIZE];
  if (kind->launch_id) {
    state->grids = kind->launch_id() - 1;
    if (launch->graph && launch->number == number)
      launch->grids = kind->launch_id() - number;
  } else {
    state->numbers_shifted = true;
  }
  pthread_mutex_unlock(&log_lock);
}

/* A graph's kernels may run on any device. */
struct graph_launch {
  struct gasan_rt_device *state;
  cudaStream_t meant; /* what the call's stream stands for */
  struct gasan_rt_device *uploaded[GASAN_RT_DEVICES];
  int count;
};

static void launched(struct graph_launch *launch) {
  while (launch->count > 0)
    gasan_upload_after_launch(launch->uploaded[--launch->count]);
}

/* Not cudaSuccess: it must not be launched. */
static cudaError_t upload_for(struct graph_launch *launch) {
  int refused = cudaSuccess;
  for (int i = 0; i < GASAN_RT_DEVICES && !refused; i++) {
    struct gasan_rt_device *device = gasan_rt_device(i);
    if (!device)
      continue;
    launch->uploaded[launch->count++] = device;
    refused = device == launch->state ? gasan_upload_before_launch_in(device, launch->meant) : gasan_upload_before_launch(device);
  }
  if (refused)
    launched(launch);
  return gasan_set_error(refused);
}

/* The twin, if there is one. What CUDA does not launch that way may fail for the program's own reasons. */
static cudaError_t launch_either(__typeof__(&cudaGraphLaunch) real, cudaGraphExec_t exec, cudaGraphExec_t chosen, cudaStream_t stream,
                                 struct graph_launch *launch) {
  if (chosen != exec) {
    cudaError_t waiting = gasan_waiting_error();
    if (real(chosen, stream) == cudaSuccess)
      return cudaSuccess;
    gasan_forget_error(waiting);
    gasan_graph_proof_refused(exec);
    cudaError_t refused = launch->count ? cudaSuccess : upload_for(launch);
    if (refused)
      return refused;
  }
  return real(exec, stream);
}

static cudaError_t launch_graph(__typeof__(&cudaGraphLaunch) real, cudaGraphExec_t exec, cudaStream_t stream, cudaStream_t meant,
                                const char *api) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!state || gasan_capture_in(stream))
    return real(exec, stream);
  gasan_ordered_settle(stream);
  bool looks_up;
  cudaGraphExec_t chosen = gasan_graph_proof_choose(state, exec, meant, &looks_up);
  struct graph_launch made = {.state = state, .meant = meant};
  cudaError_t error = looks_up || gasan_upload_is_wanted(state) ? upload_for(&made) : cudaSuccess;
  if (error != cudaSuccess)
    return error;
  gasan_rt_each_device(gasan_views_upload);
  gasan_faults_peek(state);
  gasan_faults_watch();
  struct gasan_launch launch = {.ordinal = state->device->ordinal, .stream = stream, .graph = gasan_graph_kernels(exec),
                                .grids = UINT32_MAX, .stack = gasan_stack_capture(api), .thread = gasan_thread_number()};
  pthread_mutex_lock(&gate);
  uint64_t number = log_launch(state, launch);
  state->device->kind->set_launch_id(number);
  error = launch_either(real, exec, chosen, stream, &made);
  launched(&made);
  if (error != cudaSuccess)
    unlog_launch(state, number);
  count_grids(state, number);
  pthread_mutex_unlock(&gate);
  gasan_device_error(state, error);
  return error;
}

#define GRAPH_LAUNCH(name, as_called)                                               \
  EXPORT cudaError_t name(cudaGraphExec_t exec, cudaStream_t stream);               \
  EXPORT cudaError_t name(cudaGraphExec_t exec, cudaStream_t stream) {              \
    return launch_graph(GASAN_REAL(name), exec, stream, as_called(stream), #name);  \
  }
GRAPH_LAUNCH(cudaGraphLaunch, GASAN_AS_CALLED)
GRAPH_LAUNCH(cudaGraphLaunch_ptsz, GASAN_AS_CALLED_ptsz)
