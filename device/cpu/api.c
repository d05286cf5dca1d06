/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cpu/api.h"

#include <string.h>

/* The search returns the first entry of a name: the function of captured.inc, if there is one. */
static const struct {
  const char *symbol;
  void *function;
} table[] = {
#define GASAN_CPU_CAPTURED_PLAIN(name) {#name, (void *)gasan_cpu_captured_##name},
#define GASAN_CPU_CAPTURED(name) GASAN_CPU_CAPTURED_PLAIN(name) GASAN_CPU_CAPTURED_PLAIN(name##_ptsz)
#define GASAN_CPU_CAPTURED_WAITING(name) GASAN_CPU_CAPTURED_PLAIN(name) GASAN_CPU_CAPTURED_PLAIN(name##_ptds)
#include "device/cpu/captured.inc"
#undef GASAN_CPU_CAPTURED
#undef GASAN_CPU_CAPTURED_PLAIN
#undef GASAN_CPU_CAPTURED_WAITING
#define GASAN_CPU_API(name) {#name, (void *)gasan_cpu_##name},
#define GASAN_CPU_API_ALIAS(alias, name) {#alias, (void *)gasan_cpu_##name},
#include "device/cpu/api.inc"
#undef GASAN_CPU_API
#undef GASAN_CPU_API_ALIAS
};

void *gasan_cpu_api_find(const char *symbol) {
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(table[i].symbol, symbol) == 0)
      return table[i].function;
  return NULL;
}
