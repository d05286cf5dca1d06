/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/managed_variables.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/round.h"
#include "device/cpu/cpu.h"
#include "gasan_rt/core/runtime.h"

struct variable {
  const struct gasan_module *module;
  uintptr_t host;
  size_t size;
  char *name;
  struct variable *next;
};

/* Host memory that a device can access. */
struct run {
  int ordinal;
  uintptr_t start, end;
  uint64_t address;
  struct run *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct variable *variables;
static struct run *runs;
static _Atomic bool any; /* fast path: most programs have none */

static void *allocate(size_t size) {
  void *memory = calloc(1, size);
  GASAN_CHECK(memory);
  return memory;
}

void gasan_managed_add(const struct gasan_module *module, const void *wrapper, void *host, const char *name,
                       size_t size) {
  const void *initial = gasan_cpu_managed_initial(wrapper, name);
  if (!initial)
    return;
  memcpy(host, initial, size);
  struct variable *variable = allocate(sizeof *variable);
  *variable = (struct variable){module, (uintptr_t)host, size, strdup(name), NULL};
  GASAN_CHECK(variable->name);
  pthread_mutex_lock(&lock);
  variable->next = variables;
  variables = variable;
  atomic_store(&any, true);
  pthread_mutex_unlock(&lock);
}

/* Returns the memory to share for the variable: whole share units of the device. */
static struct run extent_of(const struct variable *variable, const struct gasan_rt_device *state) {
  uintptr_t unit = state->device->kind->share_unit;
  return (struct run){.ordinal = state->device->ordinal,
                      .start = variable->host & ~(unit - 1),
                      .end = gasan_round_up(variable->host + variable->size, unit)};
}

/* Must be called with the lock. */
static const struct run *run_at(uintptr_t address, int ordinal) {
  const struct run *run = runs;
  while (run && (run->ordinal != ordinal || address < run->start || address >= run->end))
    run = run->next;
  return run;
}

/* Must be called with the lock. Joins the runs of variables in the same unit, because a unit cannot be shared twice. */
static void join_touching_runs(struct run *run, const struct gasan_rt_device *state) {
  bool grown = true;
  while (grown) {
    grown = false;
    for (const struct variable *other = variables; other; other = other->next) {
      struct run extent = extent_of(other, state);
      if (extent.start >= run->end || extent.end <= run->start ||
          (extent.start >= run->start && extent.end <= run->end))
        continue;
      run->start = extent.start < run->start ? extent.start : run->start;
      run->end = extent.end > run->end ? extent.end : run->end;
      grown = true;
    }
  }
  const struct run *known;
  while (run->start < run->end && (known = run_at(run->start, run->ordinal)))
    run->start = known->end;
  while (run->start < run->end && (known = run_at(run->end - 1, run->ordinal)))
    run->end = known->start;
}

/* Must be called with the lock. Returns the device's address of the variable, or 0 if the device cannot access it. */
static uint64_t share(const struct variable *variable, struct gasan_rt_device *state) {
  const struct run *known = run_at(variable->host, state->device->ordinal);
  if (known)
    return known->address + (variable->host - known->start);
  struct run extent = extent_of(variable, state);
  join_touching_runs(&extent, state);
  struct gasan_status status =
      state->device->kind->share(state->device, (void *)extent.start, extent.end - extent.start, &extent.address);
  if (!gasan_ok(status)) {
    gasan_rt_warn(
        "kernels cannot reach the __managed__ variable %s (%s, driver error %d): they see a copy of their own",
        variable->name, gasan_status_text(status), status.driver_error);
    return 0;
  }
  struct run *run = allocate(sizeof *run);
  *run = extent;
  run->next = runs;
  runs = run;
  return run->address + (variable->host - run->start);
}

/* Must be called with the lock. */
static void set_pointer(const struct variable *variable, const void *host_function, struct gasan_rt_device *state) {
  const struct gasan_device_kind *kind = state->device->kind;
  char name[4096];
  uint64_t pointer = 0, size = 0, address = share(variable, state);
  int length = snprintf(name, sizeof name, "%s%s", variable->name, GASAN_MANAGED_SUFFIX);
  if (!address || length < 0 || (size_t)length >= sizeof name)
    return;
  struct gasan_status status = kind->symbol(state->device, host_function, name, &pointer, &size);
  if (gasan_ok(status))
    status = kind->write(state->device, pointer, &address, sizeof address);
  if (!gasan_ok(status) && status.code != GASAN_ERR_DEVICE)
    gasan_rt_warn("the __managed__ variable %s cannot be set up (%s, driver error %d): kernels see a copy of their own",
                  variable->name, gasan_status_text(status), status.driver_error);
}

void gasan_managed_prepare(const struct gasan_module *module, const void *host_function,
                           struct gasan_rt_device *state) {
  if (!atomic_load_explicit(&any, memory_order_acquire))
    return;
  pthread_mutex_lock(&lock);
  for (const struct variable *variable = variables; variable; variable = variable->next)
    if (variable->module == module)
      set_pointer(variable, host_function, state);
  pthread_mutex_unlock(&lock);
}

/* Must be called with the lock. */
static bool is_used(const struct run *run, const struct gasan_rt_device *state) {
  for (const struct variable *variable = variables; variable; variable = variable->next) {
    struct run extent = extent_of(variable, state);
    if (extent.start < run->end && extent.end > run->start)
      return true;
  }
  return false;
}

/* Must be called with the lock. */
static void unshare_unused(void) {
  for (struct run **link = &runs; *link;) {
    struct run *run = *link;
    struct gasan_rt_device *state = gasan_rt_device(run->ordinal);
    if (is_used(run, state)) {
      link = &run->next;
      continue;
    }
    state->device->kind->unshare(state->device, (void *)run->start, run->end - run->start);
    *link = run->next;
    free(run);
  }
}

void gasan_managed_remove(const struct gasan_module *module) {
  if (!atomic_load(&any))
    return;
  pthread_mutex_lock(&lock);
  for (struct variable **link = &variables; *link;) {
    struct variable *variable = *link;
    if (variable->module != module) {
      link = &variable->next;
      continue;
    }
    *link = variable->next;
    free(variable->name);
    free(variable);
  }
  unshare_unused();
  pthread_mutex_unlock(&lock);
}

bool gasan_managed_find(const void *symbol, size_t *size) {
  if (!atomic_load_explicit(&any, memory_order_acquire))
    return false;
  pthread_mutex_lock(&lock);
  const struct variable *variable = variables;
  while (variable && variable->host != (uintptr_t)symbol)
    variable = variable->next;
  if (variable)
    *size = variable->size;
  pthread_mutex_unlock(&lock);
  return variable != NULL;
}

uint64_t gasan_managed_address(const void *symbol, struct gasan_rt_device *state) {
  pthread_mutex_lock(&lock);
  const struct variable *variable = variables;
  while (variable && variable->host != (uintptr_t)symbol)
    variable = variable->next;
  uint64_t shared = variable ? share(variable, state) : 0;
  pthread_mutex_unlock(&lock);
  return shared;
}
