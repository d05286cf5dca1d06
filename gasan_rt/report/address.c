/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/address.h"

#include "gasan_rt/report/report.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static bool find(const void *address, struct gasan_chunk *chunk) {
  struct gasan_rt_device *owner = gasan_rt_started() ? gasan_rt_owner(address) : NULL;
  return owner && owner->pool && gasan_pool_explain(owner->pool, (uintptr_t)address, chunk);
}

static bool find_containing(const void *address, struct gasan_chunk *chunk) {
  return find(address, chunk) && (uintptr_t)address - chunk->base < chunk->size;
}

bool gasan_address_describe(const void *address) {
  struct gasan_chunk chunk;
  if (!find(address, &chunk))
    return false;
  gasan_report_begin();
  gasan_report_print_chunk(&chunk, (uintptr_t)address);
  gasan_report_end();
  return true;
}

bool gasan_address_locate(const void *address, const void **base, size_t *size) {
  struct gasan_chunk chunk;
  if (!find_containing(address, &chunk))
    return false;
  *base = (const void *)(uintptr_t)chunk.base;
  *size = chunk.size;
  return true;
}

size_t gasan_address_stack(const void *address, bool of_free, void **frames, size_t count, int *thread) {
  struct gasan_chunk chunk;
  if (!find_containing(address, &chunk) || (of_free && chunk.state != GASAN_CHUNK_FREED))
    return 0;
  if (thread)
    *thread = (int)(of_free ? chunk.free_thread : chunk.allocation_thread);
  return gasan_stack_frames(of_free ? chunk.free_stack : chunk.allocation_stack, frames, count);
}
