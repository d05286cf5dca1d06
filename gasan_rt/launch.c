#include "gasan_rt/launch.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "gasan_rt/capture.h"
#include "gasan_rt/faults.h"
#include "gasan_rt/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define LOG_SIZE 8192u

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

/* Numbers the launch and, if its kernel is checked, writes it down. */
static uint64_t log_launch(struct gasan_rt_device *state, struct gasan_launch launch) {
  pthread_mutex_lock(&log_lock);
  state->launches++;
  if (!gasan_capture_in(launch.stream))
    launch.number = ++state->grids;
  if (launch.kernel) {
    launch.id = ++last_id;
    launch_log[launch.id % LOG_SIZE] = launch;
  }
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
      last->kernel = NULL;
  }
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
  if (launch->id <= complete_id[launch->ordinal])
    return true;
  for (uint32_t i = 0; i < STREAMS; i++)
    if (streams[i].stream == launch->stream && streams[i].ordinal == launch->ordinal && launch->id <= streams[i].complete)
      return true;
  return false;
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

static bool fits(const struct gasan_launch *launch, const struct gasan_rt_device *state,
                 const struct gasan_record *record, const struct gasan_sites *sites, const struct gasan_site *site) {
  if (!launch->id || launch->ordinal != state->device->ordinal || !launch->kernel)
    return false;
  if (gasan_module_id(launch->kernel->module) != record->module_id)
    return false;
  if (memcmp(launch->grid, record->grid_dim, sizeof launch->grid) != 0 ||
      memcmp(launch->block, record->block_dim, sizeof launch->block) != 0)
    return false;
  return !sites || !site || gasan_sites_reaches(sites, site, launch->kernel->name);
}

bool gasan_launch_find(struct gasan_rt_device *state, const struct gasan_record *record,
                       const struct gasan_sites *sites, struct gasan_launch *launch) {
  const struct gasan_site *site = sites ? gasan_sites_site(sites, record->site) : NULL;
  const struct gasan_launch *best = NULL;
  pthread_mutex_lock(&log_lock);
  uint64_t oldest = last_id >= LOG_SIZE ? last_id - LOG_SIZE + 1 : 1;
  /* Newest first: the last one found is the earliest that may still run; of the complete ones the newest. */
  for (uint64_t id = last_id; id >= oldest && id > 0; id--) {
    const struct gasan_launch *candidate = &launch_log[id % LOG_SIZE];
    if (!fits(candidate, state, record, sites, site))
      continue;
    if (candidate->number && !state->numbers_shifted && (uint32_t)candidate->number == (uint32_t)record->grid_id) {
      best = candidate;
      break;
    }
    if (!best || !is_complete(candidate))
      best = candidate;
  }
  if (best)
    *launch = *best;
  pthread_mutex_unlock(&log_lock);
  return best != NULL;
}

bool gasan_launch_numbered(struct gasan_rt_device *state, uint64_t number, struct gasan_launch *launch) {
  bool found = false;
  pthread_mutex_lock(&log_lock);
  uint64_t oldest = last_id >= LOG_SIZE ? last_id - LOG_SIZE + 1 : 1;
  for (uint64_t id = last_id; number && id >= oldest && id > 0 && !found; id--) {
    const struct gasan_launch *candidate = &launch_log[id % LOG_SIZE];
    found = candidate->kernel && candidate->ordinal == state->device->ordinal && candidate->number == number;
    if (found)
      *launch = *candidate;
  }
  pthread_mutex_unlock(&log_lock);
  return found;
}

/* What a launch must find done. The result is for after_launch. */
struct pending {
  struct gasan_rt_device *state;
  uint64_t number;
};

static struct pending before_launch(const void *function, const uint32_t grid[3], const uint32_t block[3], void *stream,
                                    const char *api) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!state)
    return (struct pending){NULL, 0};
  gasan_rt_flush(state);
  gasan_faults_peek(state);
  struct gasan_launch launch = {.ordinal = state->device->ordinal, .stream = stream};
  const struct gasan_kernel *kernel = function ? gasan_registry_kernel(function) : NULL;
  if (kernel && gasan_module_prepare(kernel, state)) {
    gasan_faults_watch();
    launch.kernel = kernel;
    launch.stack = gasan_stack_capture(api);
    launch.thread = gasan_thread_number();
    memcpy(launch.grid, grid, sizeof launch.grid);
    memcpy(launch.block, block, sizeof launch.block);
  } else {
    atomic_fetch_add(&unchecked, 1);
  }
  pthread_mutex_lock(&gate);
  uint64_t number = log_launch(state, launch);
  state->device->kind->set_launch_id(number);
  return (struct pending){state, number};
}

static cudaError_t after_launch(struct pending pending, cudaError_t error) {
  if (!pending.state)
    return error;
  if (error != cudaSuccess)
    unlog_launch(pending.state, pending.number);
  pthread_mutex_unlock(&gate);
  /* The checks take registers; a launch of as many threads as the plain kernel allows may no longer fit. */
  if (error == cudaErrorLaunchOutOfResources || error == cudaErrorCooperativeLaunchTooLarge)
    gasan_rt_warn("a launch failed (%s): the checks need registers. Give the kernel __launch_bounds__(threads), or "
                  "compile with -Xcuda-ptxas --maxrregcount=64",
                  GASAN_REAL(cudaGetErrorName)(error));
  return error;
}

#define EXPORT __attribute__((visibility("default")))
#define SHAPE(dim) ((uint32_t[]){(dim).x, (dim).y, (dim).z})

#define LAUNCH(name)                                                                                            \
  EXPORT cudaError_t name(const void *function, struct dim3 grid, struct dim3 block, void **arguments,          \
                          size_t shared, cudaStream_t stream);                                                  \
  EXPORT cudaError_t name(const void *function, struct dim3 grid, struct dim3 block, void **arguments,          \
                          size_t shared, cudaStream_t stream) {                                                 \
    struct pending pending = before_launch(function, SHAPE(grid), SHAPE(block), stream, #name);                 \
    return after_launch(pending, GASAN_REAL(name)(function, grid, block, arguments, shared, stream));           \
  }
LAUNCH(cudaLaunchKernel)
LAUNCH(cudaLaunchKernel_ptsz)
LAUNCH(cudaLaunchCooperativeKernel)
LAUNCH(cudaLaunchCooperativeKernel_ptsz)

#define LAUNCH_EX(name)                                                                                         \
  EXPORT cudaError_t name(const cudaLaunchConfig_t *config, const void *function, void **arguments);            \
  EXPORT cudaError_t name(const cudaLaunchConfig_t *config, const void *function, void **arguments) {           \
    struct pending pending = {NULL, 0};                                                                         \
    if (config)                                                                                                 \
      pending = before_launch(function, SHAPE(config->gridDim), SHAPE(config->blockDim), config->stream, #name); \
    return after_launch(pending, GASAN_REAL(name)(config, function, arguments));                                \
  }
LAUNCH_EX(cudaLaunchKernelExC)
LAUNCH_EX(cudaLaunchKernelExC_ptsz)

/* nvcc's stubs launch by a kernel handle; its objects carry no checks, but the shadow must be up to date for what they call. */
#define LAUNCH_HANDLE(name)                                                                                    \
  EXPORT cudaError_t name(cudaKernel_t kernel, struct dim3 grid, struct dim3 block, void **arguments,          \
                          size_t shared, cudaStream_t stream);                                                 \
  EXPORT cudaError_t name(cudaKernel_t kernel, struct dim3 grid, struct dim3 block, void **arguments,          \
                          size_t shared, cudaStream_t stream) {                                                \
    struct pending pending = before_launch(NULL, SHAPE(grid), SHAPE(block), stream, #name);                    \
    return after_launch(pending, GASAN_REAL(name)(kernel, grid, block, arguments, shared, stream));            \
  }
LAUNCH_HANDLE(__cudaLaunchKernel)
LAUNCH_HANDLE(__cudaLaunchKernel_ptsz)

#define GRAPH_LAUNCH(name)                                       \
  EXPORT cudaError_t name(cudaGraphExec_t graph, cudaStream_t stream); \
  EXPORT cudaError_t name(cudaGraphExec_t graph, cudaStream_t stream) { \
    struct gasan_rt_device *state = gasan_rt_current();          \
    if (state) {                                                 \
      gasan_rt_flush(state);                                     \
      gasan_faults_peek(state);                                  \
    }                                                            \
    pthread_mutex_lock(&gate);                                \
    if (state)                                                   \
      state->numbers_shifted = true; /* its kernels count as grids, how many we do not know */ \
    cudaError_t error = GASAN_REAL(name)(graph, stream);         \
    pthread_mutex_unlock(&gate);                                \
    return error;                                                \
  }
GRAPH_LAUNCH(cudaGraphLaunch)
GRAPH_LAUNCH(cudaGraphLaunch_ptsz)
