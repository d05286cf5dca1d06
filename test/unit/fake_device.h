/* A device for unit tests: host memory, every call checked against device/device.h's contract (a breach ends the test
 * with a CHECK), and failures on demand. A test may have several devices, each with its own page size and memory. */
#ifndef GASAN_TEST_UNIT_FAKE_DEVICE_H
#define GASAN_TEST_UNIT_FAKE_DEVICE_H

#include "device/device.h"

enum fake_operation {
  FAKE_RESERVE,
  FAKE_RELEASE,
  FAKE_MAP,
  FAKE_UNMAP,
  FAKE_REACH_PEER,
  FAKE_MAP_FILLED,
  FAKE_MEMORY_CREATE,
  FAKE_MEMORY_MAP,
  FAKE_MEMORY_RELEASE,
  FAKE_WRITE,
  FAKE_READ,
  FAKE_FILL,
  FAKE_HOST_ALLOC,
  FAKE_PLAIN_ALLOC,
  FAKE_PLAIN_FREE,
  FAKE_PLAIN_COPY,
  FAKE_ANY, /* any operation: counts all calls */
  FAKE_OPERATIONS
};

/* memory: how much can be mapped before ERR_OUT_OF_MEMORY. */
struct gasan_device *fake_device_new(uint64_t page_size, uint64_t memory);
/* Ends the test if something is still reserved or allocated (except by device_alloc and host_alloc). */
void fake_device_delete(struct gasan_device *device);

/* A setting for FAKE_ANY applies in addition to that of a single operation.
 *
 * Calls number `first` (1: the next one) to first + count - 1 of the operation fail with ERR_OUT_OF_MEMORY (map,
 * memory_*, host_alloc; reserve: ERR_OUT_OF_ADDRESSES) or ERR_DEVICE and do nothing. count 0: none. */
void fake_device_fail(struct gasan_device *device, enum fake_operation operation, uint64_t first, uint64_t count);

uint64_t fake_device_calls(struct gasan_device *device, enum fake_operation operation);
/* Bytes that map and memory_create have allocated and that were not released; map_filled does not count. */
uint64_t fake_device_mapped(struct gasan_device *device);
/* Returns whether all of [base, base + size) is writable memory. */
bool fake_device_has_memory(struct gasan_device *device, uint64_t base, uint64_t size);
/* Returns whether the device of that ordinal may access all of [base, base + size). */
bool fake_device_peer_reaches(struct gasan_device *device, uint64_t base, uint64_t size, int peer);
/* Returns whether all of [base, base + size) is readable. */
bool fake_device_readable(struct gasan_device *device, uint64_t base, uint64_t size);

#endif
