#include "device/cpu/api.h"

#include <string.h>

static const struct {
  const char *symbol;
  void *function;
} table[] = {
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
