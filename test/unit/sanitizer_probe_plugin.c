/* A module that sanitizer_probe.c loads with dlopen. */
#include "test/unit/sanitizer_probe.h"

__attribute__((visibility("default"), noinline)) uint32_t plugin_allocate(void);

uint32_t plugin_allocate(void) {
  uint32_t stack = probe_malloc();
  __asm__ volatile("");
  return stack;
}
