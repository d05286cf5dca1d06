#include "gasan_rt/launch/stack_limit.h"

#include <cuda_runtime_api.h>

#include "gasan_rt/memory/device_heap.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define EXPORT __attribute__((visibility("default")))

static uint64_t scale(void) {
  return (uint64_t)gasan_options()->stack_scale;
}

static bool can_be_raised(const struct gasan_rt_device *state) {
  return state->device->kind->set_stack_limit && scale() > 1;
}

/* With the lock. After an error of the device every call fails, and the program learns it from its own. */
static void note_first(struct gasan_rt_device *state) {
  uint64_t limit = 0;
  if (!state->stack.first && gasan_ok(state->device->kind->stack_limit(state->device, &limit)))
    state->stack.first = limit;
}

/* With the lock. Takes less if there is no memory for as much, or the driver does not want to. */
static void raise_limit(struct gasan_rt_device *state) {
  const struct gasan_device_kind *kind = state->device->kind;
  struct gasan_stack_limit *stack = &state->stack;
  note_first(state);
  struct gasan_status status = kind->stack_limit(state->device, &stack->wanted);
  if (!gasan_ok(status))
    return;
  uint64_t times = scale();
  for (; times > 1; times /= 2) {
    status = kind->set_stack_limit(state->device, times * stack->wanted);
    if (gasan_ok(status))
      break;
  }
  atomic_store(&stack->scaled, true);
  if (gasan_verbosity() >= 1)
    gasan_rt_warn("device %d: threads of kernels that recurse or call through pointers get %llu bytes of stack, %llu times the "
                  "program's cudaLimitStackSize%s",
                  state->device->ordinal, (unsigned long long)(times * stack->wanted), (unsigned long long)times,
                  times < scale() ? "; there is no memory for GASAN_OPTIONS=stack_scale times" : "");
}

void gasan_stack_limit_raise(struct gasan_rt_device *state) {
  if (atomic_load_explicit(&state->stack.scaled, memory_order_acquire) || !can_be_raised(state))
    return;
  pthread_mutex_lock(&state->stack.lock);
  if (!atomic_load(&state->stack.scaled))
    raise_limit(state);
  pthread_mutex_unlock(&state->stack.lock);
}

void gasan_stack_limit_before_change(struct gasan_rt_device *state) {
  if (!can_be_raised(state))
    return;
  pthread_mutex_lock(&state->stack.lock);
  note_first(state);
  pthread_mutex_unlock(&state->stack.lock);
}

void gasan_stack_limit_changed(struct gasan_rt_device *state) {
  pthread_mutex_lock(&state->stack.lock);
  if (atomic_load(&state->stack.scaled))
    raise_limit(state);
  pthread_mutex_unlock(&state->stack.lock);
}

void gasan_stack_limit_tell(struct gasan_rt_device *state, size_t *bytes) {
  pthread_mutex_lock(&state->stack.lock);
  if (atomic_load(&state->stack.scaled))
    *bytes = state->stack.wanted;
  pthread_mutex_unlock(&state->stack.lock);
}

void gasan_stack_limit_reset(struct gasan_rt_device *state) {
  pthread_mutex_lock(&state->stack.lock);
  if (state->stack.first)
    state->device->kind->set_stack_limit(state->device, state->stack.first);
  atomic_store(&state->stack.scaled, false);
  pthread_mutex_unlock(&state->stack.lock);
}

/* CUDA refuses another size of the heap once a kernel has used its own, which is not the one that ours use. */
EXPORT cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  bool heap = limit == cudaLimitMallocHeapSize, stack = limit == cudaLimitStackSize;
  struct gasan_rt_device *state = heap || stack ? gasan_rt_current() : NULL;
  if (state && heap && gasan_heap_is_used(state))
    return gasan_set_error(cudaErrorInvalidValue);
  if (state && stack)
    gasan_stack_limit_before_change(state);
  cudaError_t error = GASAN_REAL(cudaDeviceSetLimit)(limit, value);
  if (state && heap && error == cudaSuccess)
    gasan_registry_resize_heap(state);
  if (state && stack && error == cudaSuccess)
    gasan_stack_limit_changed(state);
  return error;
}

EXPORT cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  cudaError_t error = GASAN_REAL(cudaDeviceGetLimit)(value, limit);
  struct gasan_rt_device *state = limit == cudaLimitStackSize && error == cudaSuccess ? gasan_rt_current() : NULL;
  if (state)
    gasan_stack_limit_tell(state, value);
  return error;
}
