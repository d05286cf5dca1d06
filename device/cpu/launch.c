/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names launches, and makes them fail. */
#include <string.h>

#include "base/proof_table.h"
#include "device/cpu/engine.h"

const char *gasan_cpu_launch_name(const struct gasan_cpu_launch *launch) {
  static const char *const prefixes[] = {GASAN_PROVEN_PREFIX, GASAN_BOUNDED_PREFIX};
  const char *name = launch->kernel->name;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
      return name + strlen(prefixes[i]);
  return name;
}

bool gasan_cpu_launch_fail(struct gasan_cpu_launch *launch, int error) {
  int none = 0;
  return atomic_compare_exchange_strong(&launch->error, &none, error);
}
