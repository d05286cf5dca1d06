/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CPU device's memory: the operations of struct gasan_device_kind on host address space, and the allocations that
 * the CUDA API hands out outside the pool. */
#ifndef GASAN_DEVICE_CPU_MEMORY_H
#define GASAN_DEVICE_CPU_MEMORY_H

#include "device/cpu/ranges.h"
#include "device/device.h"

/* Bits, so that a set of them can be asked for. */
enum gasan_cpu_memory {
  GASAN_CPU_MEMORY_DEVICE = 1,
  GASAN_CPU_MEMORY_HOST = 2, /* page-locked */
  GASAN_CPU_MEMORY_MANAGED = 4,
  GASAN_CPU_MEMORY_REGISTERED = 8,         /* the program's own, by cudaHostRegister */
  GASAN_CPU_MEMORY_MAPPED = 16,            /* map_filled and memory_map: counted elsewhere, if at all */
  GASAN_CPU_MEMORY_ARRAY = 32,             /* of cudaArrays: has no address that the program knows */
  GASAN_CPU_MEMORY_POOLED = 64,            /* from one of CUDA's pools; flags: its number */
  GASAN_CPU_MEMORY_MANAGED_VARIABLE = 128, /* the program's own, by __managed__ */
  GASAN_CPU_MEMORY_ALL_MANAGED = GASAN_CPU_MEMORY_MANAGED | GASAN_CPU_MEMORY_MANAGED_VARIABLE,
};

uint64_t gasan_cpu_memory_total(void);
/* Bytes that are neither mapped nor allocated. */
uint64_t gasan_cpu_memory_free(void);

/* NULL: no memory. size > 0; aligned to 4096 bytes for host and managed memory, 512 for device memory. */
void *gasan_cpu_memory_alloc(size_t size, enum gasan_cpu_memory kind, uint32_t flags);
/* What was freed is copied to *range (may be NULL). False: no such allocation of one of these kinds begins here. */
bool gasan_cpu_memory_dealloc(void *pointer, uint32_t kinds, struct gasan_cpu_range *range);
/* The allocation or registration (what is above) that the address is in; false: none. */
bool gasan_cpu_memory_find(const void *pointer, struct gasan_cpu_range *range);
/* The program's own memory becomes known to the device, or unknown again. False: it is already known (not known). */
bool gasan_cpu_memory_register(void *pointer, size_t size, uint32_t flags);
bool gasan_cpu_memory_unregister(void *pointer);
/* Kind of the memory that the address is in, 0 if it is not the device's; *flags (may be NULL) as given at its birth.
 */
uint32_t gasan_cpu_memory_kind(const void *pointer, uint32_t *flags);

/* heap.c: frees all that kernels have allocated with malloc. */
void gasan_cpu_heap_reset(void);

/* Members of struct gasan_device_kind (device/device.h). */
uint64_t gasan_cpu_page_size(struct gasan_device *device);
struct gasan_status gasan_cpu_reserve(struct gasan_device *device, uint64_t size, uint64_t align, uint64_t *base);
struct gasan_status gasan_cpu_release(struct gasan_device *device, uint64_t base, uint64_t size);
struct gasan_status gasan_cpu_map(struct gasan_device *device, uint64_t base, uint64_t size);
struct gasan_status gasan_cpu_unmap(struct gasan_device *device, uint64_t base, uint64_t size);
struct gasan_status gasan_cpu_memory_create(struct gasan_device *device, uint64_t size, uint64_t *memory);
struct gasan_status gasan_cpu_memory_map(struct gasan_device *device, uint64_t base, uint64_t size, uint64_t memory);
struct gasan_status gasan_cpu_memory_release(struct gasan_device *device, uint64_t size, uint64_t memory);
struct gasan_status gasan_cpu_map_filled(struct gasan_device *device, uint64_t base, uint64_t size, uint8_t byte);
struct gasan_status gasan_cpu_write(struct gasan_device *device, uint64_t to, const void *from, uint64_t size);
struct gasan_status gasan_cpu_read(struct gasan_device *device, void *to, uint64_t from, uint64_t size);
struct gasan_status gasan_cpu_fill(struct gasan_device *device, uint64_t to, uint8_t byte, uint64_t size);
struct gasan_status gasan_cpu_share(struct gasan_device *device, void *memory, uint64_t size, uint64_t *address);
struct gasan_status gasan_cpu_unshare(struct gasan_device *device, void *memory, uint64_t size);
struct gasan_status gasan_cpu_host_alloc(struct gasan_device *device, uint64_t size, void **host,
                                         uint64_t *device_address);
struct gasan_status gasan_cpu_device_alloc(struct gasan_device *device, uint64_t size, uint64_t *address);
struct gasan_status gasan_cpu_plain_alloc(struct gasan_device *device, uint64_t size, uint64_t *address);
struct gasan_status gasan_cpu_plain_free(struct gasan_device *device, uint64_t address);
struct gasan_status gasan_cpu_plain_copy(struct gasan_device *device, uint64_t to, uint64_t from, uint64_t size);

#endif
