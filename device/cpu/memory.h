/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CPU device's memory: the memory operations of struct gasan_device_kind, on host memory, and the allocations of
 * the CUDA API outside of the pool. Any thread; locks are inside. */
#ifndef GASAN_DEVICE_CPU_MEMORY_H
#define GASAN_DEVICE_CPU_MEMORY_H

#include "device/cpu/address_ranges.h"
#include "device/device.h"

/* Kinds of memory. They are bits, so that a parameter can be a set of kinds. */
enum gasan_cpu_memory {
  GASAN_CPU_MEMORY_DEVICE = 1,
  GASAN_CPU_MEMORY_HOST = 2, /* page-locked */
  GASAN_CPU_MEMORY_MANAGED = 4,
  GASAN_CPU_MEMORY_REGISTERED = 8,         /* the program's own, by cudaHostRegister */
  GASAN_CPU_MEMORY_MAPPED = 16,            /* by map_filled and memory_map, which do not count it as used */
  GASAN_CPU_MEMORY_ARRAY = 32,             /* of cudaArrays, whose addresses the program does not know */
  GASAN_CPU_MEMORY_POOLED = 64,            /* from one of CUDA's pools; flags: its number */
  GASAN_CPU_MEMORY_MANAGED_VARIABLE = 128, /* the program's own, by __managed__ */
  GASAN_CPU_MEMORY_ALL_MANAGED = GASAN_CPU_MEMORY_MANAGED | GASAN_CPU_MEMORY_MANAGED_VARIABLE,
};

/* Returns the machine's bytes of memory. */
uint64_t gasan_cpu_memory_total(void);
/* Returns the bytes that are neither mapped nor allocated. */
uint64_t gasan_cpu_memory_free(void);

/* Allocates memory, aligned to 4096 bytes for host and managed memory, and to 512 for device memory. `size` must not be
 * 0. Returns NULL without memory. */
void *gasan_cpu_memory_alloc(size_t size, enum gasan_cpu_memory kind, uint32_t flags);
/* Frees the allocation that begins here and is of one of these kinds, and copies its range to *range (may be NULL).
 * Returns false if there is none. */
bool gasan_cpu_memory_dealloc(void *pointer, uint32_t kinds, struct gasan_cpu_range *range);
/* Finds the allocation or registration that contains the address. Returns false if there is none. */
bool gasan_cpu_memory_find(const void *pointer, struct gasan_cpu_range *range);
/* Register and unregister the program's own memory (cudaHostRegister). Return false if it is already registered, or is
 * not registered. */
bool gasan_cpu_memory_register(void *pointer, size_t size, uint32_t flags);
bool gasan_cpu_memory_unregister(void *pointer);
/* Returns the kind of the memory that contains the address; 0: the memory does not belong to the device. Sets *flags
 * (may be NULL) to the flags of its allocation. */
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
