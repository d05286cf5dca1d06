/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/core/hooks.h"

static struct gasan_rt_hooks connected;

void gasan_rt_connect(const struct gasan_rt_hooks *hooks) {
  connected = *hooks;
}

const struct gasan_rt_hooks *gasan_rt_hooks(void) {
  return &connected;
}
