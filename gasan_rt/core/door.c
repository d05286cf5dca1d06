/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "gasan_rt/core/door.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "base/preload.h"
#include "device/device.h"
#include "gasan_rt/core/start.h"

bool gasan_door_is_open(void) {
  static _Atomic int known; /* 1: no, 2: yes */
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (!answer) {
    answer = dlsym(RTLD_DEFAULT, GASAN_PRELOAD_SYMBOL) ? 2 : 1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2;
}

bool gasan_door_serves(void) {
  return gasan_door_is_open() && gasan_rt_kind() == &gasan_device_cuda && !gasan_rt_forked();
}

static __thread unsigned depth;

bool gasan_door_enter(void) {
  if (!gasan_door_is_open())
    return false;
  depth++;
  return true;
}

void gasan_door_leave(const bool *entered) {
  depth -= *entered;
}

bool gasan_door_passes(const char *symbol) {
  return gasan_door_is_open() && depth && strncmp(symbol, "cuGetProcAddress", strlen("cuGetProcAddress")) != 0;
}
