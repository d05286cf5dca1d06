/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shadow/copy.h"

#include <sys/mman.h>

#include "base/check.h"

struct gasan_status gasan_copy_create(struct gasan_copy *copy, struct gasan_device *device, uint64_t size) {
  struct gasan_status status = gasan_extent_create(&copy->extent, device, size);
  if (!gasan_ok(status))
    return status;
  copy->bytes =
      mmap(NULL, copy->extent.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy->bytes == MAP_FAILED)
    copy->bytes = NULL;
  if (gasan_dirty_create(&copy->dirty, copy->extent.size) && copy->bytes)
    return status;
  gasan_copy_destroy(copy);
  return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
}

void gasan_copy_destroy(struct gasan_copy *copy) {
  if (copy->bytes)
    munmap(copy->bytes, copy->extent.size);
  gasan_dirty_destroy(&copy->dirty);
  gasan_extent_destroy(&copy->extent);
  copy->bytes = NULL;
}

void *gasan_copy_change(struct gasan_copy *copy, uint64_t first, uint64_t count, uint64_t element) {
  uint64_t offset = first * element, end = offset + count * element;
  GASAN_CHECK(offset < end && end <= copy->extent.mapped);
  if (!copy->extent.device)
    return copy->bytes + offset;
  uint64_t first_page = offset / GASAN_DIRTY_PAGE, end_page = (end - 1) / GASAN_DIRTY_PAGE + 1;
  gasan_dirty_soil(&copy->dirty, first_page * GASAN_DIRTY_PAGE, (end_page - first_page) * GASAN_DIRTY_PAGE);
  return copy->bytes + offset;
}

struct gasan_status gasan_copy_upload(struct gasan_copy *copy) {
  struct gasan_device *device = copy->extent.device;
  struct gasan_dirty_run run;
  if (!device)
    return gasan_status_make(GASAN_OK);
  __typeof__(device->kind->write) write = device->kind->write_later ? device->kind->write_later : device->kind->write;
  while (gasan_dirty_next(&copy->dirty, 0, copy->extent.mapped, &run)) {
    struct gasan_status status = write(device, copy->extent.base + run.offset, copy->bytes + run.offset, run.size);
    if (!gasan_ok(status))
      return status;
    gasan_dirty_clean(&copy->dirty, run);
  }
  return gasan_status_make(GASAN_OK);
}
