/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/core/runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "device/cpu/cpu.h"
#include "gasan_rt/core/door.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/start.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "handles/codec.h"

static struct gasan_rt_device *_Atomic states[GASAN_RT_DEVICES];
static _Atomic bool refused[GASAN_RT_DEVICES];
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

/* A program without device code gets its pool before it loads a library with device code. This pool has a shadow of the
 * default granule, and no tags. */
void gasan_rt_check_images(void) {
  struct gasan_cpu_checks checks = gasan_rt_image_checks();
  if (checks.tags && !gasan_rt_tags())
    gasan_rt_warn("a library with -fsanitize-gpu-address-tags was loaded after the first CUDA call of a program "
                  "without tags: pointers get no tags; load the library before the first CUDA call");
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *state = atomic_load_explicit(&states[i], memory_order_acquire);
    if (state && checks.scale && state->shadow_scale && checks.scale != state->shadow_scale)
      gasan_rt_fatal(
          "a library with -fsanitize-gpu-address-granule=%u was loaded after the first CUDA call of a program with "
          "granule=%u; load the library before the first CUDA call, or compile it with granule=%u",
          1u << checks.scale, 1u << state->shadow_scale, 1u << state->shadow_scale);
  }
}

/* Returns the lookup structure of BST mode (GASAN_OPTIONS=lookup). */
static enum gasan_pool_lookup lookup_option(void) {
  const char *wanted = gasan_options()->lookup;
  return strcmp(wanted, "tree") == 0   ? GASAN_POOL_LOOKUP_TREE
         : strcmp(wanted, "list") == 0 ? GASAN_POOL_LOOKUP_LIST
                                       : GASAN_POOL_LOOKUP_PAGEMAP;
}

/* Code without checks runs into unmapped memory beside large chunks. CUDA aligns memory to 256 bytes. */
static void guard_options(struct gasan_pool_options *pool) {
  const char *wanted = gasan_options()->guard;
  pool->guard = strcmp(wanted, "end") == 0     ? GASAN_POOL_GUARD_END
                : strcmp(wanted, "start") == 0 ? GASAN_POOL_GUARD_START
                : strcmp(wanted, "both") == 0  ? GASAN_POOL_GUARD_BOTH
                                               : GASAN_POOL_GUARD_NONE;
  pool->guard_budget = (uint64_t)gasan_options()->guard_budget_mb << 20;
  pool->alignment = GASAN_POOL_ALIGNMENT;
}

static void pool_options(struct gasan_device *device, struct gasan_pool_options *pool) {
  const struct gasan_options *options = gasan_options();
  struct gasan_cpu_checks checks = gasan_rt_image_checks();
  if (gasan_door_is_open() && strcmp(options->instrument, "on") == 0)
    checks.bounds = true; /* code that the program loads later */
  gasan_pool_default_options(device, checks.scale ? checks.scale : GASAN_SCALE_128, pool);
  pool->shadow_scale = gasan_rt_shadow_scale(&checks);
  const bool unchecked = gasan_door_is_open() && !checks.bounds && !checks.scale;
  if (gasan_door_is_open())
    guard_options(pool);
  if (unchecked)
    pool->shadow_scale = 0; /* no code would read it */
  else if (checks.bounds || !checks.scale)
    pool->lookup = lookup_option();
  else if (strcmp(options->lookup, "pagemap") != 0 || options->strict_temporal)
    gasan_rt_warn("GASAN_OPTIONS=%s has no effect: only code compiled with -fsanitize-gpu-address-mode=bst uses it, "
                  "and the program has none",
                  options->strict_temporal ? "strict_temporal=1" : "lookup=");
  pool->tags = gasan_rt_tags();
  if (pool->tags && pool->lookup != GASAN_POOL_LOOKUP_PAGEMAP)
    gasan_rt_fatal("GASAN_OPTIONS=lookup=%s, but the program was built with -fsanitize-gpu-address-tags, which needs "
                   "lookup=pagemap",
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
}

/* Returns false for a program that the host's AddressSanitizer checks: the device's cudaMalloc then calls that
 * sanitizer's malloc. */
static bool wants_pool(const struct gasan_device_kind *kind) {
  return kind != &gasan_device_cpu || !gasan_cpu_host_checks();
}

static void handle_options(struct gasan_device *device, struct gasan_pool_options *pool) {
  pool->handle_bits = (uint32_t)gasan_options()->handle_bits;
  GASAN_CHECK(pool->handle_bits <= GASAN_HANDLE_MOST_BITS);
  pool->share = (uint32_t)device->ordinal;
  pool->shares = (uint32_t)device->kind->count();
  pool->try_still = gasan_rt_hooks()->try_still;
  pool->end_still = gasan_rt_hooks()->end_still;
}

/* Returns true if the pool of this device moves. */
static bool wants_handles(struct gasan_device *device) {
  const char *wanted = gasan_options()->pool;
  if (strcmp(wanted, "auto") == 0)
    return !device->kind->virtual_memory(device->ordinal) && gasan_rt_hooks()->takes_handles(device);
  return strcmp(wanted, "handles") == 0;
}

static void create_pool(struct gasan_rt_device *state) {
  struct gasan_pool_options options;
  pool_options(state->device, &options);
  if (wants_handles(state->device))
    handle_options(state->device, &options);
  state->shadow_scale = options.shadow_scale;
  state->tables = options.lookup != GASAN_POOL_LOOKUP_NONE;
  struct gasan_status status = gasan_pool_create(state->device, &options, &state->pool);
  if (!gasan_ok(status)) {
    state->pool = NULL;
    if (status.code == GASAN_ERR_NOT_SUPPORTED)
      gasan_rt_warn(
          "device %d has no virtual memory management: its memory is checked only in programs that were compiled "
          "and linked with -fsanitize-gpu-address-pool=handles",
          state->device->ordinal);
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
  gasan_rt_hooks()->open_memory(state);
  gasan_rt_hooks()->open_launches(state);
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
  if (gasan_rt_forked())
    return NULL;
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *state = atomic_load_explicit(&states[i], memory_order_acquire);
    if (state && state->pool && gasan_pool_owns(state->pool, (uint64_t)(uintptr_t)address))
      return state;
  }
  return NULL;
}

void gasan_rt_each_device(void (*visit)(struct gasan_rt_device *state)) {
  if (gasan_rt_forked())
    return;
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *state = atomic_load_explicit(&states[i], memory_order_acquire);
    if (state)
      visit(state);
  }
}

struct gasan_status gasan_rt_synchronize(struct gasan_rt_device *state) {
  bool begun = gasan_rt_hooks()->wait_begins(state);
  struct gasan_status status = state->device->kind->synchronize(state->device);
  gasan_rt_hooks()->wait_ended(state, begun);
  return status;
}
