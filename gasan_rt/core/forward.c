/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forwards calls that are not intercepted. Each exported name jumps through a slot (exports.S); the first call of the
 * name fills the slot. */
#include <driver_types.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"

/* Replaces a function that the device lacks. Ignores its arguments. */
static cudaError_t not_supported(void) {
  return gasan_set_error(cudaErrorNotSupported);
}

/* Returns true if a message has already named the symbol. Takes a lock, because several threads may call a missing
 * function. */
static bool said_before(const char *symbol) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const char **said;
  static size_t count;
  bool found = false;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < count && !found; i++)
    found = strcmp(said[i], symbol) == 0;
  const char **more = found ? NULL : realloc(said, (count + 1) * sizeof *said);
  if (more) {
    said = more;
    said[count++] = symbol;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static void *find_target(const char *symbol, void *(*api)(const char *symbol)) {
  const struct gasan_device_kind *kind = gasan_rt_kind();
  void *target = api(symbol);
  if (target)
    return gasan_rt_hooks()->translate(symbol, target);
  if (!said_before(symbol))
    gasan_rt_warn("%s is not supported on the %s device: it returns cudaErrorNotSupported", symbol, kind->name);
  return (void *)not_supported;
}

void *gasan_forward_target(const char *symbol) {
  return find_target(symbol, gasan_rt_kind()->api);
}

void *gasan_forward_own(const char *symbol) {
  const struct gasan_device_kind *kind = gasan_rt_kind();
  return find_target(symbol, kind->own_api ? kind->own_api : kind->api);
}

/* Returns the function to which the slot's calls jump, and stores it in the slot. Called by exports.S. */
void *gasan_forward_resolve(const char *symbol, void *_Atomic *slot);
void *gasan_forward_resolve(const char *symbol, void *_Atomic *slot) {
  void *target = gasan_forward_target(symbol);
  atomic_store(slot, target);
  return target;
}
