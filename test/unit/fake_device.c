#include "fake_device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"

#define MAX_REGIONS 16
#define GARBAGE 0xa5               /* contents of fresh memory, so that who forgets to fill it is found out */
#define GARBAGE_LIMIT (1ull << 20) /* but not of more than that per map */

enum page_kind { PAGE_NONE, PAGE_MEMORY, PAGE_FILLED };

struct page {
  uint8_t kind;
  bool first;            /* of the range that one call mapped */
  struct memory *memory; /* memory_map's */
  uint64_t peers;        /* map's */
};

/* Memory that memory_create returned. */
struct memory {
  uint64_t size;
  bool mapped;
};

/* A reserved range. The host's mapping is larger, for the alignment. */
struct region {
  uint64_t base, size;
  void *host;
  uint64_t host_size;
  struct page *pages;
};

/* Memory that plain_alloc or device_alloc (which is never freed) returned, aligned to exactly 256 bytes. */
struct plain {
  void *host;
  uint64_t address, size;
  bool for_ever;
  struct plain *next;
};

struct fake_device {
  struct gasan_device device;
  uint64_t page_size, memory;
  pthread_mutex_t lock;
  struct region regions[MAX_REGIONS];
  struct plain *plains;
  uint64_t mapped, memories;
  uint64_t peers;
  uint64_t filled_size; /* of all map_filled calls; 0: none yet */
  uint8_t filled_byte;
  uint64_t calls[FAKE_OPERATIONS], fail_first[FAKE_OPERATIONS], fail_end[FAKE_OPERATIONS];
};

static struct fake_device *fake(struct gasan_device *device) {
  return (struct fake_device *)device;
}

/* Locks; every operation ends with leave(). */
static bool enter(struct gasan_device *device, enum fake_operation operation) {
  struct fake_device *self = fake(device);
  pthread_mutex_lock(&self->lock);
  bool works = true;
  const enum fake_operation counted[] = {operation, FAKE_ANY};
  for (int i = 0; i < 2; i++) {
    uint64_t call = ++self->calls[counted[i]];
    works &= call < self->fail_first[counted[i]] || call >= self->fail_end[counted[i]];
  }
  return works;
}

static struct gasan_status leave(struct gasan_device *device, enum gasan_status_code code) {
  pthread_mutex_unlock(&fake(device)->lock);
  return gasan_status_make(code);
}

static struct region *region_of(struct fake_device *self, uint64_t base, uint64_t size) {
  for (int index = 0; index < MAX_REGIONS; index++) {
    struct region *region = &self->regions[index];
    if (region->size && base >= region->base && base - region->base < region->size)
      return size <= region->size - (base - region->base) ? region : NULL;
  }
  return NULL;
}

/* Returns the pages of a range, which must be whole pages of one region. */
static struct page *pages_of(struct fake_device *self, uint64_t base, uint64_t size, uint64_t *count) {
  struct region *region = region_of(self, base, size);
  GASAN_CHECK(region && size > 0);
  GASAN_CHECK(base % self->page_size == 0 && size % self->page_size == 0);
  *count = size / self->page_size;
  return &region->pages[(base - region->base) / self->page_size];
}

static bool in_plain(struct fake_device *self, uint64_t base, uint64_t size) {
  for (struct plain *plain = self->plains; plain; plain = plain->next)
    if (base >= plain->address && base - plain->address < plain->size)
      return size <= plain->size - (base - plain->address);
  return false;
}

static bool all_of_kind(struct fake_device *self, uint64_t base, uint64_t size, bool writable) {
  if (in_plain(self, base, size))
    return true;
  struct region *region = region_of(self, base, size);
  if (!region || size == 0)
    return false;
  uint64_t last = (base + size - 1 - region->base) / self->page_size;
  for (uint64_t page = (base - region->base) / self->page_size; page <= last; page++) {
    uint8_t kind = region->pages[page].kind;
    if (kind == PAGE_NONE || (writable && kind != PAGE_MEMORY))
      return false;
  }
  return true;
}

static struct gasan_status fake_reserve(struct gasan_device *device, uint64_t size, uint64_t align, uint64_t *base) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_RESERVE))
    return leave(device, GASAN_ERR_OUT_OF_ADDRESSES);
  GASAN_CHECK(size >= self->page_size && !(size & (size - 1)) && !(align & (align - 1)));
  struct region *region = self->regions;
  while (region->size)
    GASAN_CHECK(++region < self->regions + MAX_REGIONS);
  region->host_size = size + align;
  region->host = mmap(NULL, region->host_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  GASAN_CHECK(region->host != MAP_FAILED);
  region->base = ((uint64_t)region->host + align - 1) & ~(align - 1);
  region->size = size;
  region->pages = calloc(size / self->page_size, sizeof *region->pages);
  GASAN_CHECK(region->pages);
  *base = region->base;
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_release(struct gasan_device *device, uint64_t base, uint64_t size) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_RELEASE))
    return leave(device, GASAN_ERR_DEVICE);
  struct region *region = region_of(self, base, size);
  GASAN_CHECK(region && region->base == base && region->size == size);
  for (uint64_t page = 0; page < size / self->page_size; page++)
    GASAN_CHECK(region->pages[page].kind == PAGE_NONE);
  munmap(region->host, region->host_size);
  free(region->pages);
  *region = (struct region){0};
  return leave(device, GASAN_OK);
}

static void set_pages(struct page *pages, uint64_t count, enum page_kind kind) {
  for (uint64_t page = 0; page < count; page++) {
    /* Checks that no mapping is mapped again, and that nothing unmapped is unmapped. */
    GASAN_CHECK((kind == PAGE_NONE) != (pages[page].kind == PAGE_NONE));
    pages[page] = (struct page){.kind = (uint8_t)kind, .first = kind != PAGE_NONE && page == 0};
  }
}

static struct gasan_status fake_map(struct gasan_device *device, uint64_t base, uint64_t size) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_MAP))
    return leave(device, GASAN_ERR_OUT_OF_MEMORY);
  uint64_t count;
  struct page *pages = pages_of(self, base, size, &count);
  if (size > self->memory - self->mapped)
    return leave(device, GASAN_ERR_OUT_OF_MEMORY);
  set_pages(pages, count, PAGE_MEMORY);
  for (uint64_t page = 0; page < count; page++)
    pages[page].peers = self->peers;
  GASAN_CHECK(mprotect((void *)base, size, PROT_READ | PROT_WRITE) == 0);
  memset((void *)base, GARBAGE, size < GARBAGE_LIMIT ? size : GARBAGE_LIMIT);
  self->mapped += size;
  return leave(device, GASAN_OK);
}

static uint64_t with_peer(uint64_t peers, int peer, bool may) {
  return may ? peers | 1ull << peer : peers & ~(1ull << peer);
}

static void fake_allow_peer(struct gasan_device *device, int peer, bool may) {
  struct fake_device *self = fake(device);
  pthread_mutex_lock(&self->lock);
  self->peers = with_peer(self->peers, peer, may);
  pthread_mutex_unlock(&self->lock);
}

static struct gasan_status fake_reach_peer(struct gasan_device *device, uint64_t base, uint64_t size, int peer,
                                           bool may) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_REACH_PEER))
    return leave(device, GASAN_ERR_DEVICE);
  uint64_t count;
  struct page *pages = pages_of(self, base, size, &count);
  for (uint64_t page = 0; page < count; page++) {
    GASAN_CHECK(pages[page].kind == PAGE_MEMORY && !pages[page].memory);
    pages[page].peers = with_peer(pages[page].peers, peer, may);
  }
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_memory_create(struct gasan_device *device, uint64_t size, uint64_t *memory) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_MEMORY_CREATE))
    return leave(device, GASAN_ERR_OUT_OF_MEMORY);
  GASAN_CHECK(size && size % self->page_size == 0);
  if (size > self->memory - self->mapped)
    return leave(device, GASAN_ERR_OUT_OF_MEMORY);
  struct memory *created = malloc(sizeof *created);
  GASAN_CHECK(created);
  *created = (struct memory){size, false};
  *memory = (uint64_t)created;
  self->mapped += size;
  self->memories++;
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_memory_map(struct gasan_device *device, uint64_t base, uint64_t size, uint64_t memory) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_MEMORY_MAP))
    return leave(device, GASAN_ERR_OUT_OF_MEMORY);
  uint64_t count;
  struct page *pages = pages_of(self, base, size, &count);
  struct memory *mapped = (struct memory *)memory;
  GASAN_CHECK(mapped->size == size && !mapped->mapped);
  mapped->mapped = true;
  set_pages(pages, count, PAGE_MEMORY);
  for (uint64_t page = 0; page < count; page++)
    pages[page].memory = mapped;
  GASAN_CHECK(mprotect((void *)base, size, PROT_READ | PROT_WRITE) == 0);
  memset((void *)base, GARBAGE, size < GARBAGE_LIMIT ? size : GARBAGE_LIMIT);
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_memory_release(struct gasan_device *device, uint64_t size, uint64_t memory) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_MEMORY_RELEASE))
    return leave(device, GASAN_ERR_DEVICE);
  struct memory *released = (struct memory *)memory;
  GASAN_CHECK(released->size == size && !released->mapped);
  free(released);
  self->mapped -= size;
  self->memories--;
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_unmap(struct gasan_device *device, uint64_t base, uint64_t size) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_UNMAP))
    return leave(device, GASAN_ERR_DEVICE);
  uint64_t count;
  struct page *pages = pages_of(self, base, size, &count);
  struct region *region = region_of(self, base, size);
  GASAN_CHECK(pages[0].first); /* whole ranges only */
  GASAN_CHECK(base + size == region->base + region->size || pages[count].kind == PAGE_NONE || pages[count].first);
  for (uint64_t page = 0; page < count; page++)
    if (pages[page].memory)
      pages[page].memory->mapped = false;
    else if (pages[page].kind == PAGE_MEMORY)
      self->mapped -= self->page_size;
  set_pages(pages, count, PAGE_NONE);
  GASAN_CHECK(madvise((void *)base, size, MADV_DONTNEED) == 0);
  GASAN_CHECK(mprotect((void *)base, size, PROT_NONE) == 0);
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_map_filled(struct gasan_device *device, uint64_t base, uint64_t size, uint8_t byte) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_MAP_FILLED))
    return leave(device, GASAN_ERR_OUT_OF_MEMORY);
  GASAN_CHECK(!(size & (size - 1)));
  GASAN_CHECK(self->filled_size == 0 || (self->filled_size == size && self->filled_byte == byte));
  self->filled_size = size;
  self->filled_byte = byte;
  uint64_t count;
  struct page *pages = pages_of(self, base, size, &count);
  set_pages(pages, count, PAGE_FILLED);
  GASAN_CHECK(mprotect((void *)base, size, PROT_READ | PROT_WRITE) == 0);
  if (byte)
    memset((void *)base, byte, size);
  GASAN_CHECK(mprotect((void *)base, size, PROT_READ) == 0);
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_write(struct gasan_device *device, uint64_t to, const void *from, uint64_t size) {
  if (!enter(device, FAKE_WRITE))
    return leave(device, GASAN_ERR_DEVICE);
  GASAN_CHECK(all_of_kind(fake(device), to, size, true));
  memcpy((void *)to, from, size);
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_read(struct gasan_device *device, void *to, uint64_t from, uint64_t size) {
  if (!enter(device, FAKE_READ))
    return leave(device, GASAN_ERR_DEVICE);
  GASAN_CHECK(all_of_kind(fake(device), from, size, false));
  memcpy(to, (const void *)from, size);
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_fill(struct gasan_device *device, uint64_t to, uint8_t byte, uint64_t size) {
  if (!enter(device, FAKE_FILL))
    return leave(device, GASAN_ERR_DEVICE);
  GASAN_CHECK(all_of_kind(fake(device), to, size, true));
  memset((void *)to, byte, size);
  return leave(device, GASAN_OK);
}

static struct gasan_status add_plain(struct gasan_device *device, enum fake_operation operation, uint64_t size,
                                     bool for_ever, uint64_t *address) {
  struct fake_device *self = fake(device);
  if (!enter(device, operation) || size > self->memory - self->mapped)
    return leave(device, GASAN_ERR_OUT_OF_MEMORY);
  struct plain *plain = malloc(sizeof *plain);
  void *host = aligned_alloc(512, (size + 511) / 512 * 512 + 512);
  GASAN_CHECK(plain && host);
  memset(host, for_ever ? 0 : GARBAGE, size + 256);
  *plain = (struct plain){host, (uint64_t)host + 256, size, for_ever, self->plains};
  self->plains = plain;
  self->mapped += for_ever ? 0 : size;
  *address = plain->address;
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_device_alloc(struct gasan_device *device, uint64_t size, uint64_t *address) {
  return add_plain(device, FAKE_PLAIN_ALLOC, size, true, address);
}

static struct gasan_status fake_host_alloc(struct gasan_device *device, uint64_t size, void **host, uint64_t *address) {
  struct gasan_status status = add_plain(device, FAKE_HOST_ALLOC, size, true, address);
  if (gasan_ok(status))
    *host = (void *)*address;
  return status;
}

static struct gasan_status fake_plain_alloc(struct gasan_device *device, uint64_t size, uint64_t *address) {
  return add_plain(device, FAKE_PLAIN_ALLOC, size, false, address);
}

static struct gasan_status fake_plain_free(struct gasan_device *device, uint64_t address) {
  struct fake_device *self = fake(device);
  if (!enter(device, FAKE_PLAIN_FREE))
    return leave(device, GASAN_ERR_DEVICE);
  struct plain **link = &self->plains;
  while (*link && (*link)->address != address)
    link = &(*link)->next;
  struct plain *plain = *link;
  GASAN_CHECK(plain && !plain->for_ever);
  *link = plain->next;
  self->mapped -= plain->size;
  free(plain->host);
  free(plain);
  return leave(device, GASAN_OK);
}

static struct gasan_status fake_plain_copy(struct gasan_device *device, uint64_t to, uint64_t from, uint64_t size) {
  if (!enter(device, FAKE_PLAIN_COPY))
    return leave(device, GASAN_ERR_DEVICE);
  GASAN_CHECK(in_plain(fake(device), to, size) && in_plain(fake(device), from, size));
  memcpy((void *)to, (const void *)from, size); /* a host's AddressSanitizer sees an overlap */
  return leave(device, GASAN_OK);
}

static uint64_t fake_page_size(struct gasan_device *device) {
  return fake(device)->page_size;
}

static uint64_t fake_total_memory(struct gasan_device *device) {
  return fake(device)->memory;
}

static const struct gasan_device_kind fake_kind = {
    .name = "fake",
    .page_size = fake_page_size,
    .total_memory = fake_total_memory,
    .reserve = fake_reserve,
    .release = fake_release,
    .map = fake_map,
    .unmap = fake_unmap,
    .allow_peer = fake_allow_peer,
    .reach_peer = fake_reach_peer,
    .map_filled = fake_map_filled,
    .memory_create = fake_memory_create,
    .memory_map = fake_memory_map,
    .memory_release = fake_memory_release,
    .host_alloc = fake_host_alloc,
    .write = fake_write,
    .read = fake_read,
    .fill = fake_fill,
    .device_alloc = fake_device_alloc,
    .plain_alloc = fake_plain_alloc,
    .plain_free = fake_plain_free,
    .plain_copy = fake_plain_copy,
};

struct gasan_device *fake_device_new(uint64_t page_size, uint64_t memory) {
  struct fake_device *self = calloc(1, sizeof *self);
  GASAN_CHECK(self);
  self->device.kind = &fake_kind;
  self->page_size = page_size;
  self->memory = memory;
  pthread_mutex_init(&self->lock, NULL);
  return &self->device;
}

void fake_device_delete(struct gasan_device *device) {
  struct fake_device *self = fake(device);
  for (int index = 0; index < MAX_REGIONS; index++)
    GASAN_CHECK(self->regions[index].size == 0);
  GASAN_CHECK(self->mapped == 0 && self->memories == 0);
  while (self->plains) {
    struct plain *plain = self->plains;
    GASAN_CHECK(plain->for_ever);
    self->plains = plain->next;
    free(plain->host);
    free(plain);
  }
  pthread_mutex_destroy(&self->lock);
  free(self);
}

void fake_device_fail(struct gasan_device *device, enum fake_operation operation, uint64_t first, uint64_t count) {
  struct fake_device *self = fake(device);
  pthread_mutex_lock(&self->lock);
  self->fail_first[operation] = self->calls[operation] + first;
  self->fail_end[operation] = self->fail_first[operation] + count;
  pthread_mutex_unlock(&self->lock);
}

uint64_t fake_device_calls(struct gasan_device *device, enum fake_operation operation) {
  struct fake_device *self = fake(device);
  pthread_mutex_lock(&self->lock);
  uint64_t calls = self->calls[operation];
  pthread_mutex_unlock(&self->lock);
  return calls;
}

uint64_t fake_device_mapped(struct gasan_device *device) {
  struct fake_device *self = fake(device);
  pthread_mutex_lock(&self->lock);
  uint64_t mapped = self->mapped;
  pthread_mutex_unlock(&self->lock);
  return mapped;
}

bool fake_device_has_memory(struct gasan_device *device, uint64_t base, uint64_t size) {
  pthread_mutex_lock(&fake(device)->lock);
  bool has = all_of_kind(fake(device), base, size, true);
  pthread_mutex_unlock(&fake(device)->lock);
  return has;
}

bool fake_device_readable(struct gasan_device *device, uint64_t base, uint64_t size) {
  pthread_mutex_lock(&fake(device)->lock);
  bool readable = all_of_kind(fake(device), base, size, false);
  pthread_mutex_unlock(&fake(device)->lock);
  return readable;
}

bool fake_device_peer_reaches(struct gasan_device *device, uint64_t base, uint64_t size, int peer) {
  struct fake_device *self = fake(device);
  pthread_mutex_lock(&self->lock);
  bool reaches = all_of_kind(self, base, size, true);
  struct region *region = region_of(self, base, size);
  for (uint64_t at = base / self->page_size; reaches && at <= (base + size - 1) / self->page_size; at++)
    reaches = region->pages[at - region->base / self->page_size].peers >> peer & 1;
  pthread_mutex_unlock(&self->lock);
  return reaches;
}
