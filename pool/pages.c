/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/pages.h"

#include <sys/mman.h>

#include "base/check.h"

#define NO_PAGE UINT64_MAX

/* A page that small chunks share; the pages of large chunks do not use their entries. An idle page is mapped and has no
 * users. `newer` links the idle pages from idle_oldest to idle_newest. */
struct gasan_page {
  uint32_t users;
  bool mapped;
  uint64_t older, newer;
};

static uint64_t address_of(const struct gasan_pages *pages, uint64_t page) {
  return pages->base + page * pages->page_size;
}

static uint64_t page_at(const struct gasan_pages *pages, uint64_t address) {
  return (address - pages->base) / pages->page_size;
}

static struct gasan_status map_pages(struct gasan_pages *pages, uint64_t base, uint64_t size) {
  struct gasan_status status = pages->device->kind->map(pages->device, base, size);
  if (gasan_ok(status))
    pages->mapped_bytes += size;
  return status;
}

static struct gasan_status unmap_pages(struct gasan_pages *pages, uint64_t base, uint64_t size) {
  struct gasan_status status = pages->device->kind->unmap(pages->device, base, size);
  if (gasan_ok(status))
    pages->mapped_bytes -= size;
  return status;
}

struct gasan_status gasan_pages_init(struct gasan_pages *pages, struct gasan_device *device, uint64_t base,
                                     uint64_t size) {
  uint64_t page_size = device->kind->page_size(device);
  uint64_t count = size / page_size;
  struct gasan_page *table =
      mmap(NULL, count * sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  uint64_t idle_limit = GASAN_PAGES_IDLE_BYTES / page_size;
  *pages = (struct gasan_pages){.device = device,
                                .base = base,
                                .page_size = page_size,
                                .count = count,
                                .table = table,
                                .idle_oldest = NO_PAGE,
                                .idle_newest = NO_PAGE,
                                .idle_limit = idle_limit ? idle_limit : 1};
  return gasan_status_make(GASAN_OK);
}

void gasan_pages_destroy(struct gasan_pages *pages) {
  gasan_pages_trim(pages);
  munmap(pages->table, pages->count * sizeof *pages->table);
  pages->table = NULL;
}

static void idle_append(struct gasan_pages *pages, uint64_t page) {
  pages->table[page].older = pages->idle_newest;
  pages->table[page].newer = NO_PAGE;
  if (pages->idle_newest != NO_PAGE)
    pages->table[pages->idle_newest].newer = page;
  else
    pages->idle_oldest = page;
  pages->idle_newest = page;
  pages->idle_count++;
}

static void idle_remove(struct gasan_pages *pages, uint64_t page) {
  struct gasan_page *entry = &pages->table[page];
  if (entry->older != NO_PAGE)
    pages->table[entry->older].newer = entry->newer;
  else
    pages->idle_oldest = entry->newer;
  if (entry->newer != NO_PAGE)
    pages->table[entry->newer].older = entry->older;
  else
    pages->idle_newest = entry->older;
  pages->idle_count--;
}

/* Unmaps an idle page. If the device fails, the page stays idle. */
static struct gasan_status idle_unmap(struct gasan_pages *pages, uint64_t page) {
  struct gasan_status status = unmap_pages(pages, address_of(pages, page), pages->page_size);
  if (!gasan_ok(status))
    return status;
  idle_remove(pages, page);
  pages->table[page].mapped = false;
  return status;
}

uint64_t gasan_pages_trim(struct gasan_pages *pages) {
  uint64_t before = pages->mapped_bytes;
  for (uint64_t page = pages->idle_oldest; page != NO_PAGE;) {
    uint64_t newer = pages->table[page].newer;
    idle_unmap(pages, page);
    page = newer;
  }
  return before - pages->mapped_bytes;
}

/* Unmaps the idle pages in [first, end), because a large chunk will be mapped there. Searches the pages or the list of
 * idle pages, whichever is shorter. */
static struct gasan_status evict_idle(struct gasan_pages *pages, uint64_t first, uint64_t end) {
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (end - first < pages->idle_count) {
    for (uint64_t page = first; page < end && gasan_ok(status); page++) {
      GASAN_CHECK(pages->table[page].users == 0);
      if (pages->table[page].mapped)
        status = idle_unmap(pages, page);
    }
    return status;
  }
  for (uint64_t page = pages->idle_oldest; page != NO_PAGE && gasan_ok(status);) {
    uint64_t newer = pages->table[page].newer;
    if (page >= first && page < end)
      status = idle_unmap(pages, page);
    page = newer;
  }
  return status;
}

static void leave_page(struct gasan_pages *pages, uint64_t page) {
  struct gasan_page *entry = &pages->table[page];
  GASAN_CHECK(entry->mapped && entry->users > 0);
  if (--entry->users == 0)
    idle_append(pages, page);
}

static struct gasan_status join_page(struct gasan_pages *pages, uint64_t page) {
  struct gasan_page *entry = &pages->table[page];
  if (!entry->mapped) {
    struct gasan_status status = map_pages(pages, address_of(pages, page), pages->page_size);
    if (!gasan_ok(status))
      return status;
    entry->mapped = true;
  } else if (entry->users == 0) {
    idle_remove(pages, page);
  }
  entry->users++;
  return gasan_status_make(GASAN_OK);
}

static void limit_idle(struct gasan_pages *pages) {
  while (pages->idle_count > pages->idle_limit) {
    uint64_t page = pages->idle_oldest;
    if (gasan_ok(idle_unmap(pages, page)))
      continue;
    /* The page moves to the list's end, so that one bad page does not block the others. The next idle page triggers
     * another attempt. */
    idle_remove(pages, page);
    idle_append(pages, page);
    break;
  }
}

struct gasan_status gasan_pages_acquire(struct gasan_pages *pages, uint64_t base, uint64_t size, bool large) {
  uint64_t first = page_at(pages, base);
  uint64_t end = page_at(pages, base + size - 1) + 1;
  if (large) {
    struct gasan_status status =
        evict_idle(pages, first - (pages->guard_before && first), end + (pages->guard_behind && end < pages->count));
    return gasan_ok(status) ? map_pages(pages, base, size) : status;
  }
  for (uint64_t page = first; page < end; page++) {
    struct gasan_status status = join_page(pages, page);
    if (!gasan_ok(status)) {
      while (page-- > first)
        leave_page(pages, page);
      limit_idle(pages);
      return status;
    }
  }
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_pages_release(struct gasan_pages *pages, uint64_t base, uint64_t size, bool large) {
  if (large)
    return unmap_pages(pages, base, size);
  uint64_t end = page_at(pages, base + size - 1) + 1;
  for (uint64_t page = page_at(pages, base); page < end; page++)
    leave_page(pages, page);
  limit_idle(pages);
  return gasan_status_make(GASAN_OK);
}
