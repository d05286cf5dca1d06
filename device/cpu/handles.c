/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cpu/handles.h"

#include <stdlib.h>

#include "device/cpu/address_ranges.h"

static struct gasan_cpu_ranges handles = GASAN_CPU_RANGES_INITIALIZER;

void *gasan_cpu_handle_new(size_t size, enum gasan_cpu_handle kind) {
  void *handle = calloc(1, size);
  struct gasan_cpu_range range = {(uintptr_t)handle, 1, kind, 0};
  if (handle && !gasan_cpu_ranges_add(&handles, range)) {
    free(handle);
    return NULL;
  }
  return handle;
}

bool gasan_cpu_handle_valid(const void *handle, enum gasan_cpu_handle kind) {
  struct gasan_cpu_range range;
  return gasan_cpu_ranges_find(&handles, (uintptr_t)handle, &range) && range.tag == kind;
}

bool gasan_cpu_handle_retire(void *handle, enum gasan_cpu_handle kind) {
  struct gasan_cpu_range range;
  return gasan_cpu_ranges_take(&handles, (uintptr_t)handle, kind, &range);
}

bool gasan_cpu_handle_free(void *handle, enum gasan_cpu_handle kind) {
  if (!gasan_cpu_handle_retire(handle, kind))
    return false;
  free(handle);
  return true;
}
