#include "gasan_rt/core/runtime.h"

#include <driver_types.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "device/cpu/cpu.h"
#include "device/cuda/cuda.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/core/finish.h"
#include "gasan_rt/calls/translate.h"
#include "gasan_rt/memory/device_bounds.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "handles/codec.h"

static const struct gasan_device_kind *_Atomic started_kind;
static pthread_once_t start_once = PTHREAD_ONCE_INIT;
static struct gasan_rt_device *_Atomic states[GASAN_RT_DEVICES];
static _Atomic bool refused[GASAN_RT_DEVICES];
static bool tags; /* set by start */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

void gasan_rt_warn(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  gasan_report_begin();
  gasan_printf("==%d==gasan: %s\n", (int)getpid(), text);
  gasan_report_end();
}

/* *broken: there is a GPU, but it cannot be used. */
static const struct gasan_device_kind *start_cuda(const char **why, bool *broken) {
  gasan_cuda_set_runtime(gasan_options()->cudart);
  struct gasan_status status = gasan_device_cuda.start(why);
  *broken = status.code == GASAN_ERR_DEVICE;
  return gasan_ok(status) ? &gasan_device_cuda : NULL;
}

static const struct gasan_device_kind *start_cpu(const char **why) {
  gasan_cpu_set_threads(gasan_options()->cpu_threads);
  gasan_cpu_set_reporter(gasan_report_finding);
  return gasan_ok(gasan_device_cpu.start(why)) ? &gasan_device_cpu : NULL;
}

static const struct gasan_device_kind *choose_kind(void) {
  const char *wanted = gasan_options()->device;
  const char *why = "";
  const struct gasan_device_kind *kind = NULL;
  bool broken = false, automatic = strcmp(wanted, "auto") == 0;
  if (gasan_cpu_host_checks()) {
    if (strcmp(wanted, "cuda") == 0)
      gasan_report_fatal("GASAN_OPTIONS=device=cuda, but the program was built with -fsanitize-gpu-address-checks=host: "
                         "it runs on the CPU device only");
    wanted = "cpu";
  }
  if (strcmp(wanted, "cpu") != 0)
    kind = start_cuda(&why, &broken);
  if (!kind && !automatic && strcmp(wanted, "cuda") == 0)
    gasan_report_fatal("GASAN_OPTIONS=device=cuda, but %s; GASAN_OPTIONS=device=cpu runs without a GPU", why);
  if (!kind) {
    if (automatic && (broken || gasan_verbosity() >= 1))
      gasan_rt_warn("no GPU is used: %s", why);
    kind = start_cpu(&why);
    if (!kind)
      gasan_report_fatal("the CPU device cannot run here: %s", why);
  }
  return kind;
}

/* A program has one shadow with one granule, and its pointers have tags or none has. Its modules are all known before the first
 * CUDA call, but for those of libraries that it loads later. */
static struct gasan_cpu_checks checks_of_images(void) {
  struct gasan_cpu_checks checks;
  if (!gasan_cpu_images_agree(&checks))
    gasan_report_fatal("%s was compiled with -fsanitize-gpu-address-%s=%s, but %s with %s; compile both with the same",
                       checks.file, checks.option, checks.value, checks.other_file, checks.other_value);
  return checks;
}

/* A program without device code of its own has a pool before it loads any: with a shadow of the default granule, without tags. */
void gasan_rt_check_images(void) {
  struct gasan_cpu_checks checks = checks_of_images();
  if (checks.tags && !tags)
    gasan_rt_warn("a library with -fsanitize-gpu-address-tags was loaded when the program had begun to use CUDA without: memory is given "
                  "without tags; load the library before the first CUDA call");
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *state = atomic_load_explicit(&states[i], memory_order_acquire);
    if (state && checks.scale && state->shadow_scale && checks.scale != state->shadow_scale)
      gasan_report_fatal("a library with -fsanitize-gpu-address-granule=%u was loaded when the program had begun to use CUDA with "
                         "granule=%u; load the library before the first CUDA call, or compile it with granule=%u",
                         1u << checks.scale, 1u << state->shadow_scale, 1u << state->shadow_scale);
  }
}

bool gasan_rt_tags(void) {
  gasan_rt_kind();
  return tags;
}

/* CUDA refuses to work in the child of a process that has used it. Here too, since the locks and the device's threads are as
 * they were in the parent: what we keep of the devices is not touched any more. */
static _Atomic bool forked;

static void note_fork(void) {
  atomic_store(&forked, true);
  gasan_cpu_refuse();
}

bool gasan_rt_forked(void) {
  return atomic_load_explicit(&forked, memory_order_relaxed);
}

/* A program whose code is all in one mode needs what that mode looks at; one without such code may load libraries of either. */
static uint32_t shadow_scale(const struct gasan_cpu_checks *checks) {
  return checks->scale ? checks->scale : checks->bounds ? 0 : GASAN_SCALE_128;
}

/* What the options' table cannot say. */
static void check_window_size(const struct gasan_cpu_checks *checks) {
  int wanted = gasan_options()->window_size_gb;
  uint64_t greatest = gasan_pool_greatest_window(shadow_scale(checks)) >> 30;
  greatest = greatest < 1024 ? greatest : 1024;
  if (wanted && (wanted < 4 || wanted & (wanted - 1) || (uint64_t)wanted > greatest))
    gasan_report_fatal("GASAN_OPTIONS=window_size_gb=%d is out of range (0, or a power of two from 4 to %llu)", wanted,
                       (unsigned long long)greatest);
}

static void start(void) {
  struct gasan_cpu_checks checks = checks_of_images();
  tags = checks.tags;
  check_window_size(&checks);
  if (tags && strcmp(gasan_options()->pool, "handles") == 0)
    gasan_report_fatal("GASAN_OPTIONS=pool=handles, but the program was built with -fsanitize-gpu-address-tags: both need the "
                       "upper bits of pointers; use pool=window");
  pthread_atfork(NULL, NULL, note_fork);
  const struct gasan_device_kind *kind = choose_kind();
  gasan_registry_replay(kind);
  atomic_store(&started_kind, kind);
  gasan_finish_at_exit();
  if (gasan_verbosity() >= 1) {
    struct gasan_device *device;
    char name[256] = "?";
    if (gasan_ok(kind->open(0, &device)))
      kind->describe(device, name, sizeof name);
    gasan_rt_warn("kernels run on the %s device (%s)", kind->name, name);
  }
}

const struct gasan_device_kind *gasan_rt_kind(void) {
  const struct gasan_device_kind *kind = atomic_load_explicit(&started_kind, memory_order_acquire);
  if (kind)
    return kind;
  pthread_once(&start_once, start);
  return atomic_load(&started_kind);
}

bool gasan_rt_started(void) {
  return atomic_load(&started_kind) != NULL && !gasan_rt_forked();
}

static void pool_options(struct gasan_device *device, struct gasan_pool_options *pool) {
  const struct gasan_options *options = gasan_options();
  struct gasan_cpu_checks checks = checks_of_images();
  gasan_pool_default_options(device, checks.scale ? checks.scale : GASAN_SCALE_128, pool);
  pool->shadow_scale = shadow_scale(&checks);
  if (checks.bounds || !checks.scale)
    pool->lookup = gasan_lookup_option();
  else if (strcmp(options->lookup, "pagemap") != 0 || options->strict_temporal)
    gasan_rt_warn("GASAN_OPTIONS=%s means something to code compiled with -fsanitize-gpu-address-mode=bst only, and the program has none",
                  options->strict_temporal ? "strict_temporal=1" : "lookup=");
  pool->tags = tags;
  if (tags && pool->lookup != GASAN_POOL_LOOKUP_PAGEMAP)
    gasan_report_fatal("GASAN_OPTIONS=lookup=%s, but the program was built with -fsanitize-gpu-address-tags, which needs lookup=pagemap",
                       options->lookup);
  pool->redzone_percent = (uint32_t)options->redzone_percent;
  pool->redzone_min = (uint64_t)options->redzone;
  pool->quarantine_size = (uint64_t)options->quarantine_size_mb << 20;
  if (options->window_size_gb)
    pool->window_size = (uint64_t)options->window_size_gb << 30;
}

static void set_params(struct gasan_rt_device *state, uint64_t ring_address) {
  struct gasan_params *params = &state->params;
  params->abi_version = GASAN_ABI_VERSION;
  params->ring = ring_address;
  params->ring_control = state->control_address;
  params->window_mask_high = GASAN_PARAMS_UNSET_MASK_HIGH;
  params->window_base_high = GASAN_PARAMS_UNSET_BASE_HIGH;
  if (!state->pool)
    return;
  if (gasan_pool_moves(state->pool)) {
    params->handle_table = gasan_pool_handle_table(state->pool);
    params->handle_shift = 64 - (uint32_t)gasan_options()->handle_bits;
    return;
  }
  gasan_pool_params(state->pool, params);
  state->shadow = gasan_pool_shadow(state->pool) != NULL;
  if (state->tables)
    gasan_lookup_open(state);
}

/* A program that the host's AddressSanitizer checks has no pool: the device's own cudaMalloc takes its malloc. */
static bool wants_pool(const struct gasan_device_kind *kind) {
  return kind != &gasan_device_cpu || !gasan_cpu_host_checks();
}

static void handle_options(struct gasan_device *device, struct gasan_pool_options *pool) {
  pool->handle_bits = (uint32_t)gasan_options()->handle_bits;
  GASAN_CHECK(pool->handle_bits <= GASAN_HANDLE_GREATEST_TOLD_BITS);
  pool->share = (uint32_t)device->ordinal;
  pool->shares = (uint32_t)device->kind->count();
  pool->try_still = gasan_held_try_still;
  pool->end_still = gasan_held_end_still;
}

/* Does the pool of this device move? */
static bool wants_handles(struct gasan_device *device) {
  const char *wanted = gasan_options()->pool;
  if (strcmp(wanted, "auto") == 0)
    return !device->kind->virtual_memory(device->ordinal) && gasan_registry_takes_handles(device);
  return strcmp(wanted, "handles") == 0;
}

static void create_pool(struct gasan_rt_device *state) {
  struct gasan_pool_options options;
  pool_options(state->device, &options);
  if (wants_handles(state->device)) {
    handle_options(state->device, &options);
    state->numbers_shifted = state->device->kind->sets_are_grids; /* by the copies of a pool that moves */
  }
  state->shadow_scale = options.shadow_scale;
  state->tables = options.lookup != GASAN_POOL_LOOKUP_NONE;
  struct gasan_status status = gasan_pool_create(state->device, &options, &state->pool);
  if (!gasan_ok(status)) {
    state->pool = NULL;
    if (status.code == GASAN_ERR_NOT_SUPPORTED)
      gasan_rt_warn("device %d has no virtual memory management: its memory is checked only in programs that were compiled "
                    "and linked with -fsanitize-gpu-address-pool=handles", state->device->ordinal);
    else
      gasan_rt_warn("device %d: no pool (%s, driver error %d): device memory is not checked", state->device->ordinal,
                    gasan_status_text(status), status.driver_error);
  }
}

static struct gasan_status open_state(int ordinal, struct gasan_rt_device **result) {
  const struct gasan_device_kind *kind = gasan_rt_kind();
  struct gasan_rt_device *state = calloc(1, sizeof *state);
  if (!state)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  pthread_mutex_init(&state->fault_lock, NULL);
  pthread_mutex_init(&state->foreign_lock, NULL);
  pthread_mutex_init(&state->stack.lock, NULL);
  struct gasan_status status = kind->open(ordinal, &state->device);
  uint64_t ring_address = 0;
  void *ring = NULL;
  if (gasan_ok(status))
    status = kind->host_alloc(state->device, sizeof *state->ring, &ring, &ring_address);
  if (gasan_ok(status))
    status = kind->device_alloc(state->device, sizeof(struct gasan_ring_control), &state->control_address);
  if (!gasan_ok(status)) {
    free(state);
    return status;
  }
  state->ring = ring;
  if (wants_pool(kind))
    create_pool(state);
  set_params(state, ring_address);
  *result = state;
  return gasan_status_make(GASAN_OK);
}

static struct gasan_rt_device *state_of(int ordinal) {
  if (ordinal < 0 || ordinal >= GASAN_RT_DEVICES)
    return NULL;
  struct gasan_rt_device *state = atomic_load_explicit(&states[ordinal], memory_order_acquire);
  if (state || atomic_load(&refused[ordinal]))
    return state;
  pthread_mutex_lock(&open_lock);
  state = atomic_load(&states[ordinal]);
  if (!state && !atomic_load(&refused[ordinal])) {
    struct gasan_status status = open_state(ordinal, &state);
    if (gasan_ok(status)) {
      atomic_store(&states[ordinal], state);
    } else {
      atomic_store(&refused[ordinal], true);
      gasan_rt_warn("device %d cannot be opened (%s, driver error %d): nothing on it is checked", ordinal,
                    gasan_status_text(status), status.driver_error);
    }
  }
  pthread_mutex_unlock(&open_lock);
  return state;
}

struct gasan_rt_device *gasan_rt_current(void) {
  const struct gasan_device_kind *kind = gasan_rt_kind();
  return gasan_rt_forked() ? NULL : state_of(kind->current());
}

struct gasan_rt_device *gasan_rt_open(int ordinal) {
  gasan_rt_kind();
  return gasan_rt_forked() ? NULL : state_of(ordinal);
}

struct gasan_rt_device *gasan_rt_device(int ordinal) {
  return atomic_load_explicit(&states[ordinal], memory_order_acquire);
}

struct gasan_rt_device *gasan_rt_owner(const void *address) {
  for (int i = 0; i < GASAN_RT_DEVICES && !gasan_rt_forked(); i++) {
    struct gasan_rt_device *state = atomic_load_explicit(&states[i], memory_order_acquire);
    if (state && state->pool && gasan_pool_owns(state->pool, (uint64_t)(uintptr_t)address))
      return state;
  }
  return NULL;
}

void gasan_rt_each_device(void (*visit)(struct gasan_rt_device *state)) {
  for (int i = 0; i < GASAN_RT_DEVICES && !gasan_rt_forked(); i++) {
    struct gasan_rt_device *state = atomic_load_explicit(&states[i], memory_order_acquire);
    if (state)
      visit(state);
  }
}

static struct gasan_status finish_writes(struct gasan_rt_device *state) {
  const struct gasan_device_kind *kind = state->device->kind;
  return kind->finish_writes ? kind->finish_writes(state->device) : gasan_status_make(GASAN_OK);
}

static struct gasan_status order(struct gasan_rt_device *state, void *stream) {
  const struct gasan_device_kind *kind = state->device->kind;
  return kind->order ? kind->order(state->device, stream) : gasan_status_make(GASAN_OK);
}

/* `ordered`: who needs it is launched in `stream`. */
static struct gasan_status flush(struct gasan_rt_device *state, bool ordered, void *stream) {
  if (!state->pool)
    return gasan_status_make(GASAN_OK);
  struct gasan_status status = gasan_pool_flush(state->pool);
  if (gasan_ok(status) && !(ordered && gasan_ok(order(state, stream))))
    status = finish_writes(state);
  if (gasan_ok(status))
    status = gasan_lookup_upload(state);
  /* After an error of the device every call fails; the program learns it from its own calls. */
  if (!gasan_ok(status) && status.code != GASAN_ERR_DEVICE)
    gasan_rt_warn("upload of shadow and tables failed (%s, driver error %d)", gasan_status_text(status), status.driver_error);
  return status;
}

struct gasan_status gasan_rt_flush(struct gasan_rt_device *state) {
  return flush(state, false, NULL);
}

struct gasan_status gasan_rt_flush_for(struct gasan_rt_device *state, void *stream) {
  return flush(state, true, stream);
}

int gasan_rt_cuda_error(struct gasan_status status) {
  switch (status.code) {
  case GASAN_OK:
    return cudaSuccess;
  case GASAN_ERR_OUT_OF_MEMORY:
  case GASAN_ERR_OUT_OF_HOST_MEMORY:
  case GASAN_ERR_OUT_OF_ADDRESSES:
    return cudaErrorMemoryAllocation;
  case GASAN_ERR_NOT_SUPPORTED:
    return cudaErrorNotSupported;
  case GASAN_ERR_NO_DEVICE:
    return cudaErrorInvalidDevice;
  default:
    /* CUresult and cudaError_t share their numbers for driver errors. */
    return status.driver_error ? status.driver_error : cudaErrorInvalidValue;
  }
}
