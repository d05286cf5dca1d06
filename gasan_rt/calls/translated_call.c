/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/calls/translated_call.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/calls/translate.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"

/* Read-locked from the translation of a pointer until the device's call has returned. Work that the call has put into a
 * stream is covered by the device's idle and synchronize. The pool only tries the write lock, so no call ever waits for
 * it. */
static pthread_rwlock_t use = PTHREAD_RWLOCK_INITIALIZER;

struct gasan_translated_copy {
  struct gasan_translated_copy *next;
  _Alignas(max_align_t) unsigned char bytes[];
};

/* The device's synchronize does not cover captured copies, nor copies in graphs. The addresses in graphs are pinned,
 * but threads that are capturing must not wait. */
bool gasan_translate_try_still(struct gasan_device *device) {
  if (pthread_rwlock_trywrlock(&use) != 0)
    return false;
  if (!gasan_capture_active() && device->kind->idle(device) && gasan_ok(device->kind->synchronize(device)))
    return true;
  pthread_rwlock_unlock(&use);
  return false;
}

void gasan_translate_end_still(struct gasan_device *device) {
  (void)device;
  pthread_rwlock_unlock(&use);
}

void gasan_translated_call_begin(struct gasan_translated_call *call, bool pin) {
  *call = (struct gasan_translated_call){.pin = pin};
  pthread_rwlock_rdlock(&use);
}

cudaError_t gasan_translated_call_end(struct gasan_translated_call *call, cudaError_t error) {
  pthread_rwlock_unlock(&use);
  while (call->copies) {
    struct gasan_translated_copy *copy = call->copies;
    call->copies = copy->next;
    free(copy);
  }
  return error;
}

void *gasan_translated_call_allocate(struct gasan_translated_call *call, size_t size) {
  struct gasan_translated_copy *copy = malloc(sizeof *copy + size);
  if (!copy)
    return NULL;
  copy->next = call->copies;
  call->copies = copy;
  return copy->bytes;
}

void *gasan_translated_call_copy(struct gasan_translated_call *call, const void *bytes, size_t size) {
  void *copy = gasan_translated_call_allocate(call, size);
  if (copy)
    memcpy(copy, bytes, size);
  return copy;
}

bool gasan_translate_pointer(const struct gasan_translated_call *call, void *pointer) {
  void *value;
  memcpy(&value, pointer, sizeof value);
  struct gasan_rt_device *owner = gasan_rt_owner(value);
  if (!owner || !gasan_pool_translates(owner->pool))
    return true;
  uint64_t address = 0;
  if (!gasan_ok(gasan_pool_translate(owner->pool, (uint64_t)(uintptr_t)value, call->pin, &address)))
    return false;
  value = (void *)(uintptr_t)address;
  memcpy(pointer, &value, sizeof value);
  return true;
}

const void *gasan_translate_if_valid(const void *pointer) {
  const struct gasan_translated_call unpinned = {0};
  (void)gasan_translate_pointer(&unpinned, &pointer);
  return pointer;
}

void gasan_answer_pointer(void *pointer) {
  void *address;
  memcpy(&address, pointer, sizeof address);
  for (int i = 0; address && i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *state = gasan_rt_device(i);
    uint64_t value = state && state->pool && gasan_pool_translates(state->pool)
                         ? gasan_pool_pointer_to(state->pool, (uint64_t)(uintptr_t)address)
                         : 0;
    if (value) {
      address = (void *)(uintptr_t)value;
      memcpy(pointer, &address, sizeof address);
      return;
    }
  }
}
