/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "device/cpu/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/round.h"
#include "device/cpu/api.h"

/* Larger than the machine's page, so that a mapped range needs fewer memory areas. */
#define DEVICE_PAGE_SIZE (64u << 10)
#define DEVICE_ALIGNMENT 512u
#define HOST_ALIGNMENT 4096u
#define ON_DEVICE (GASAN_CPU_MEMORY_DEVICE | GASAN_CPU_MEMORY_POOLED)
/* map_filled maps one block of this size repeatedly. A larger block would take more memory, a smaller one more memory
 * areas. */
#define FILL_BLOCK_SIZE (32u << 20)

static struct gasan_cpu_ranges mapped = GASAN_CPU_RANGES_INITIALIZER;
static struct gasan_cpu_ranges allocated = GASAN_CPU_RANGES_INITIALIZER;
static _Atomic uint64_t used_bytes;

/* Returns the machine's memory in bytes. Linux provides pages at the first access, so only our own count stops a
 * program that allocates more memory than there is. */
static uint64_t read_total(void) {
  uint64_t total = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  unsigned long long limit;
  FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
  if (file) {
    if (fscanf(file, "%llu", &limit) == 1 && limit < total) /* "max" does not parse: no limit */
      total = limit;
    fclose(file);
  }
  return total;
}

uint64_t gasan_cpu_memory_total(void) {
  static _Atomic uint64_t total;
  if (!atomic_load_explicit(&total, memory_order_relaxed))
    atomic_store(&total, read_total());
  return atomic_load_explicit(&total, memory_order_relaxed);
}

uint64_t gasan_cpu_memory_free(void) {
  uint64_t used = atomic_load(&used_bytes), total = gasan_cpu_memory_total();
  return used < total ? total - used : 0;
}

static bool charge(uint64_t size) {
  uint64_t used = atomic_load(&used_bytes);
  do {
    if (size > gasan_cpu_memory_total() || used > gasan_cpu_memory_total() - size)
      return false;
  } while (!atomic_compare_exchange_weak(&used_bytes, &used, used + size));
  return true;
}

static void discharge(uint64_t size) {
  atomic_fetch_sub(&used_bytes, size);
}

void *gasan_cpu_memory_alloc(size_t size, enum gasan_cpu_memory kind, uint32_t flags) {
  void *pointer = NULL;
  if (!charge(size))
    return NULL;
  if (posix_memalign(&pointer, kind & ON_DEVICE ? DEVICE_ALIGNMENT : HOST_ALIGNMENT, size) != 0) {
    discharge(size);
    return NULL;
  }
  struct gasan_cpu_range range = {(uintptr_t)pointer, size, kind, flags};
  if (!gasan_cpu_ranges_add(&allocated, range)) {
    free(pointer);
    discharge(size);
    return NULL;
  }
  return pointer;
}

bool gasan_cpu_memory_dealloc(void *pointer, uint32_t kinds, struct gasan_cpu_range *range) {
  struct gasan_cpu_range taken;
  if (!gasan_cpu_ranges_take(&allocated, (uintptr_t)pointer, kinds, &taken))
    return false;
  discharge(taken.size);
  if (range)
    *range = taken;
  free(pointer);
  return true;
}

bool gasan_cpu_memory_find(const void *pointer, struct gasan_cpu_range *range) {
  return gasan_cpu_ranges_find(&allocated, (uintptr_t)pointer, range);
}

bool gasan_cpu_memory_register(void *pointer, size_t size, uint32_t flags) {
  struct gasan_cpu_range other;
  if (gasan_cpu_ranges_find(&allocated, (uintptr_t)pointer, &other) ||
      gasan_cpu_ranges_find(&allocated, (uintptr_t)pointer + size - 1, &other))
    return false;
  struct gasan_cpu_range range = {(uintptr_t)pointer, size, GASAN_CPU_MEMORY_REGISTERED, flags};
  return gasan_cpu_ranges_add(&allocated, range);
}

bool gasan_cpu_memory_unregister(void *pointer) {
  struct gasan_cpu_range range;
  return gasan_cpu_ranges_take(&allocated, (uintptr_t)pointer, GASAN_CPU_MEMORY_REGISTERED, &range);
}

uint32_t gasan_cpu_memory_kind(const void *pointer, uint32_t *flags) {
  struct gasan_cpu_range range;
  if (!gasan_cpu_ranges_find(&allocated, (uintptr_t)pointer, &range) &&
      !gasan_cpu_ranges_find(&mapped, (uintptr_t)pointer, &range))
    return 0;
  if (flags)
    *flags = range.flags;
  return range.tag;
}

uint64_t gasan_cpu_page_size(struct gasan_device *device) {
  return DEVICE_PAGE_SIZE;
}

static void *map_addresses(void *at, size_t size, int protection, int flags) {
  return mmap(at, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

struct gasan_status gasan_cpu_reserve(struct gasan_device *device, uint64_t size, uint64_t align, uint64_t *base) {
  if (align < DEVICE_PAGE_SIZE)
    align = DEVICE_PAGE_SIZE;
  if (size + align < size)
    return gasan_status_make(GASAN_ERR_OUT_OF_ADDRESSES);
  char *start = map_addresses(NULL, size + align, PROT_NONE, 0);
  if (start == MAP_FAILED)
    return gasan_status_make(GASAN_ERR_OUT_OF_ADDRESSES);
  char *aligned = (char *)gasan_round_up((uintptr_t)start, align);
  if (aligned != start)
    munmap(start, (size_t)(aligned - start));
  munmap(aligned + size, align - (size_t)(aligned - start));
  *base = (uintptr_t)aligned;
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_cpu_release(struct gasan_device *device, uint64_t base, uint64_t size) {
  discharge(gasan_cpu_ranges_clear(&mapped, base, size, GASAN_CPU_MEMORY_DEVICE));
  if (munmap((void *)(uintptr_t)base, size) != 0)
    return gasan_status_make(GASAN_ERR_INVALID);
  return gasan_status_make(GASAN_OK);
}

static struct gasan_status remember(uint64_t base, uint64_t size, enum gasan_cpu_memory kind) {
  struct gasan_cpu_range range = {base, size, kind, 0};
  return gasan_status_make(gasan_cpu_ranges_add(&mapped, range) ? GASAN_OK : GASAN_ERR_OUT_OF_HOST_MEMORY);
}

static struct gasan_status make_accessible(uint64_t base, uint64_t size, enum gasan_cpu_memory kind) {
  struct gasan_status status = gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  if (mprotect((void *)(uintptr_t)base, size, PROT_READ | PROT_WRITE) == 0)
    status = remember(base, size, kind);
  if (!gasan_ok(status))
    mprotect((void *)(uintptr_t)base, size, PROT_NONE);
  return status;
}

struct gasan_status gasan_cpu_map(struct gasan_device *device, uint64_t base, uint64_t size) {
  if (!charge(size))
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  struct gasan_status status = make_accessible(base, size, GASAN_CPU_MEMORY_DEVICE);
  if (!gasan_ok(status))
    discharge(size);
  return status;
}

/* Only counts memory that has no addresses yet, so that mapping it succeeds later. */
struct gasan_status gasan_cpu_memory_create(struct gasan_device *device, uint64_t size, uint64_t *memory) {
  *memory = size;
  return gasan_status_make(charge(size) ? GASAN_OK : GASAN_ERR_OUT_OF_MEMORY);
}

struct gasan_status gasan_cpu_memory_map(struct gasan_device *device, uint64_t base, uint64_t size, uint64_t memory) {
  return make_accessible(base, size, GASAN_CPU_MEMORY_MAPPED);
}

struct gasan_status gasan_cpu_memory_release(struct gasan_device *device, uint64_t size, uint64_t memory) {
  discharge(memory);
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_cpu_unmap(struct gasan_device *device, uint64_t base, uint64_t size) {
  /* Map addresses without memory over the range: this frees the memory and removes the access in one step. */
  if (map_addresses((void *)(uintptr_t)base, size, PROT_NONE, MAP_FIXED) == MAP_FAILED)
    return gasan_status_make(GASAN_ERR_INVALID);
  discharge(gasan_cpu_ranges_clear(&mapped, base, size, GASAN_CPU_MEMORY_DEVICE));
  return gasan_status_make(GASAN_OK);
}

/* Makes the block that all filled ranges map: an unnamed file. Returns -1 without memory. */
static int open_fill_block(uint64_t size, uint8_t byte) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int block = -1;
  pthread_mutex_lock(&lock);
  if (block < 0) {
    int file = memfd_create("gasan-fill", MFD_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)size) == 0)
      bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED) {
      memset(bytes, byte, size);
      munmap(bytes, size);
      block = file;
    } else if (file >= 0) {
      close(file);
    }
  }
  pthread_mutex_unlock(&lock);
  return block;
}

static struct gasan_status map_fill_block(uint64_t base, uint64_t size, uint8_t byte) {
  uint64_t block_size = size < FILL_BLOCK_SIZE ? size : FILL_BLOCK_SIZE;
  int block = open_fill_block(block_size, byte);
  if (block < 0)
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  for (uint64_t done = 0; done < size; done += block_size)
    if (mmap((void *)(uintptr_t)(base + done), block_size, PROT_READ, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, block,
             0) == MAP_FAILED)
      return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_cpu_map_filled(struct gasan_device *device, uint64_t base, uint64_t size, uint8_t byte) {
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (byte != 0)
    status = map_fill_block(base, size, byte);
  else if (mprotect((void *)(uintptr_t)base, size, PROT_READ) != 0) /* untouched pages read as zero */
    status = gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  return gasan_ok(status) ? remember(base, size, GASAN_CPU_MEMORY_MAPPED) : status;
}

/* A failed device does no work, as on a GPU, but its memory can still be read for the report. */
struct gasan_status gasan_cpu_write(struct gasan_device *device, uint64_t to, const void *from, uint64_t size) {
  if (gasan_cpu_device_failed())
    return gasan_status_driver(GASAN_ERR_DEVICE, gasan_cpu_device_error());
  memcpy((void *)(uintptr_t)to, from, size);
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_cpu_read(struct gasan_device *device, void *to, uint64_t from, uint64_t size) {
  memcpy(to, (const void *)(uintptr_t)from, size);
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_cpu_fill(struct gasan_device *device, uint64_t to, uint8_t byte, uint64_t size) {
  memset((void *)(uintptr_t)to, byte, size);
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_cpu_host_alloc(struct gasan_device *device, uint64_t size, void **host,
                                         uint64_t *device_address) {
  void *pages = map_addresses(NULL, size, PROT_READ | PROT_WRITE, 0);
  if (pages == MAP_FAILED)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  *host = pages;
  *device_address = (uintptr_t)pages;
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_cpu_device_alloc(struct gasan_device *device, uint64_t size, uint64_t *address) {
  void *pages;
  struct gasan_status status = gasan_cpu_host_alloc(device, size, &pages, address);
  return gasan_ok(status) ? status : gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
}

/* Does nothing: device code can access all host memory. */
struct gasan_status gasan_cpu_share(struct gasan_device *device, void *memory, uint64_t size, uint64_t *address) {
  struct gasan_cpu_range range = {(uintptr_t)memory, size, GASAN_CPU_MEMORY_MANAGED_VARIABLE, 0}, known;
  *address = (uintptr_t)memory;
  if (gasan_cpu_ranges_find(&allocated, (uintptr_t)memory, &known))
    return gasan_status_make(GASAN_OK);
  return gasan_status_make(gasan_cpu_ranges_add(&allocated, range) ? GASAN_OK : GASAN_ERR_OUT_OF_HOST_MEMORY);
}

struct gasan_status gasan_cpu_unshare(struct gasan_device *device, void *memory, uint64_t size) {
  struct gasan_cpu_range range;
  bool known = gasan_cpu_ranges_take(&allocated, (uintptr_t)memory, GASAN_CPU_MEMORY_MANAGED_VARIABLE, &range);
  return gasan_status_make(known ? GASAN_OK : GASAN_ERR_INVALID);
}

struct gasan_status gasan_cpu_plain_alloc(struct gasan_device *device, uint64_t size, uint64_t *address) {
  void *memory = gasan_cpu_memory_alloc(size, GASAN_CPU_MEMORY_DEVICE, 0);
  if (!memory)
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  *address = (uintptr_t)memory;
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_cpu_plain_free(struct gasan_device *device, uint64_t address) {
  bool known = gasan_cpu_memory_dealloc((void *)(uintptr_t)address, GASAN_CPU_MEMORY_DEVICE, NULL);
  return gasan_status_make(known ? GASAN_OK : GASAN_ERR_INVALID);
}

struct gasan_status gasan_cpu_plain_copy(struct gasan_device *device, uint64_t to, uint64_t from, uint64_t size) {
  memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
  return gasan_status_make(GASAN_OK);
}
