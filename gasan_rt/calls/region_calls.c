/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that include/gasan/gasan.h looks for. */
#include "include/gasan/gasan.h"

#include "base/export.h"
#include "gasan_rt/calls/nvtx.h"
#include "gasan_rt/memory/poison.h"
#include "gasan_rt/memory/suballocators.h"
#include "gasan_rt/report/address.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define SAME(name)                                                                                                     \
  _Static_assert((int)GASAN_RESULT_##name == (int)GASAN_REGIONS_##name, "the header's numbers are the pool's")
SAME(OK);
SAME(EMPTY);
SAME(NOT_IN_CHUNK);
SAME(NOT_IN_HEAP);
SAME(OVERLAP);
SAME(NO_HEAP);
SAME(NO_REGION);
SAME(NOT_SUPPORTED);
SAME(NO_MEMORY);

static int call_heap_register(const void *base, size_t size) {
  return gasan_suballocators_add_heap("gasan_heap_register", base, size);
}

static int call_heap_unregister(const void *base) {
  return gasan_suballocators_remove_heap("gasan_heap_unregister", base);
}

static int call_heap_reset(const void *base) {
  return gasan_suballocators_reset_heap("gasan_heap_reset", base);
}

static int call_region_register(const void *base, size_t size) {
  return gasan_suballocators_add("gasan_region_register", base, size);
}

static int call_region_resize(const void *base, size_t size) {
  return gasan_suballocators_resize("gasan_region_resize", base, size);
}

static int call_region_unregister(const void *base) {
  return gasan_suballocators_end("gasan_region_unregister", base);
}

static int call_region_find(const void *address, const void **base, size_t *size) {
  struct gasan_chunk region;
  enum gasan_region_result result = gasan_suballocators_find(address, &region);
  if (result == GASAN_REGIONS_OK && base)
    *base = (const void *)(uintptr_t)region.base;
  if (result == GASAN_REGIONS_OK && size)
    *size = region.size;
  return result;
}

static int call_poison(const void *base, size_t size) {
  gasan_poison(base, size);
  return GASAN_RESULT_OK;
}

static int call_unpoison(const void *base, size_t size) {
  gasan_unpoison(base, size);
  return GASAN_RESULT_OK;
}

static int call_find_poison(const void *base, size_t size, const void **first) {
  *first = gasan_find_poison(base, size);
  return GASAN_RESULT_OK;
}

static int call_describe_address(const void *address) {
  return gasan_address_describe(address) ? GASAN_RESULT_OK : GASAN_RESULT_NOT_IN_CHUNK;
}

static int call_locate_address(const void *address, char *name, size_t name_size, const void **base, size_t *size) {
  if (name && name_size)
    *name = 0; /* memory of the device has no name */
  return gasan_address_locate(address, base, size) ? GASAN_RESULT_OK : GASAN_RESULT_NOT_IN_CHUNK;
}

static int call_get_stack(const void *address, int of_free, void **frames, size_t count, int *thread) {
  return (int)gasan_address_stack(address, of_free, frames, count, thread);
}

static int call_set_death_callback(void (*callback)(void)) {
  gasan_on_death(callback);
  return GASAN_RESULT_OK;
}

static int call_set_error_report_callback(void (*callback)(const char *report)) {
  gasan_set_report_callback(callback);
  return GASAN_RESULT_OK;
}

static int call_nvtx_attach(void *module) {
  return gasan_nvtx_attach(module);
}

#define GASAN_REGION_CALL(name, parameters, arguments)                                                                 \
  GASAN_EXPORT int __gasan_##name parameters;                                                                          \
  GASAN_EXPORT int __gasan_##name parameters {                                                                         \
    return call_##name arguments;                                                                                      \
  }
#include "base/region_calls.inc"
