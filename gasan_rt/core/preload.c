/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that was linked without this library was started again with it (device/cpu/helpers/registration.c). The
 * processes that it starts get the LD_PRELOAD that it had. */
#include <stdlib.h>

#include "base/preload.h"

__attribute__((constructor(101))) static void restore_preload(void) {
  const char *before = getenv(GASAN_PRELOADED);
  if (!before)
    return;
  if (*before)
    setenv("LD_PRELOAD", before, 1);
  else
    unsetenv("LD_PRELOAD");
  unsetenv(GASAN_PRELOADED);
}
