/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/stack_limit.h"

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static uint64_t scale(void) {
  return (uint64_t)gasan_options()->stack_scale;
}

static bool can_be_raised(const struct gasan_rt_device *state) {
  return state->device->kind->set_stack_limit && scale() > 1;
}

/* Must be called with the lock. Ignores errors: after a device error every call fails, and the program's own calls
 * return the error. */
static void note_first(struct gasan_rt_device *state) {
  uint64_t limit = 0;
  if (!state->launches->stack.first && gasan_ok(state->device->kind->stack_limit(state->device, &limit)))
    state->launches->stack.first = limit;
}

/* Must be called with the lock. Tries smaller limits if memory is short or the driver refuses. */
static void raise_limit(struct gasan_rt_device *state) {
  const struct gasan_device_kind *kind = state->device->kind;
  struct gasan_stack_limit *stack = &state->launches->stack;
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
    gasan_rt_warn(
        "device %d: threads of kernels that recurse or call through pointers get %llu bytes of stack, %llu times the "
        "program's cudaLimitStackSize%s",
        state->device->ordinal, (unsigned long long)(times * stack->wanted), (unsigned long long)times,
        times < scale() ? "; there is no memory for GASAN_OPTIONS=stack_scale times" : "");
}

void gasan_stack_limit_raise(struct gasan_rt_device *state) {
  if (atomic_load_explicit(&state->launches->stack.scaled, memory_order_acquire) || !can_be_raised(state))
    return;
  pthread_mutex_lock(&state->launches->stack.lock);
  if (!atomic_load(&state->launches->stack.scaled))
    raise_limit(state);
  pthread_mutex_unlock(&state->launches->stack.lock);
}

void gasan_stack_limit_before_change(struct gasan_rt_device *state) {
  if (!can_be_raised(state))
    return;
  pthread_mutex_lock(&state->launches->stack.lock);
  note_first(state);
  pthread_mutex_unlock(&state->launches->stack.lock);
}

void gasan_stack_limit_changed(struct gasan_rt_device *state) {
  pthread_mutex_lock(&state->launches->stack.lock);
  if (atomic_load(&state->launches->stack.scaled))
    raise_limit(state);
  pthread_mutex_unlock(&state->launches->stack.lock);
}

void gasan_stack_limit_read(struct gasan_rt_device *state, size_t *bytes) {
  pthread_mutex_lock(&state->launches->stack.lock);
  if (atomic_load(&state->launches->stack.scaled))
    *bytes = state->launches->stack.wanted;
  pthread_mutex_unlock(&state->launches->stack.lock);
}

void gasan_stack_limit_reset(struct gasan_rt_device *state) {
  pthread_mutex_lock(&state->launches->stack.lock);
  if (state->launches->stack.first)
    state->device->kind->set_stack_limit(state->device, state->launches->stack.first);
  atomic_store(&state->launches->stack.scaled, false);
  pthread_mutex_unlock(&state->launches->stack.lock);
}
