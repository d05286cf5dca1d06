/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Restores LD_PRELOAD in a program that was linked without this library. Such a program starts itself again with this
 * library in LD_PRELOAD (device/cpu/helpers/registration.c). The processes that it starts must get its former
 * LD_PRELOAD. */
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
