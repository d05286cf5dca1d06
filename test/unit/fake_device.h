/* A device for unit tests: host memory, every call checked against device/device.h's contract (a breach ends the test
 * with a CHECK), and failures on demand. Any number of them, each with its own page size and memory. */
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
  FAKE_ANY, /* whichever of them: counts all calls */
  FAKE_OPERATIONS
};

/* memory: how much can be mapped before ERR_OUT_OF_MEMORY. */
struct gasan_device *fake_device_new(uint64_t page_size, uint64_t memory);
/* Ends the test if something is still reserved or allocated (device_alloc and host_alloc live on). */
void fake_device_delete(struct gasan_device *device);

/* What FAKE_ANY is told holds beside what a single operation is.
 *
 * Calls number `first` (1: the next one) to first + count - 1 of the operation fail with ERR_OUT_OF_MEMORY (map,
 * memory_*, host_alloc; reserve: ERR_OUT_OF_ADDRESSES) or ERR_DEVICE and do nothing. count 0: none. */
void fake_device_fail(struct gasan_device *device, enum fake_operation operation, uint64_t first, uint64_t count);

uint64_t fake_device_calls(struct gasan_device *device, enum fake_operation operation);
/* Bytes that were given to map or memory_create and not given back; map_filled does not count. */
uint64_t fake_device_mapped(struct gasan_device *device);
/* Is there writable memory under all of [base, base + size)? */
bool fake_device_has_memory(struct gasan_device *device, uint64_t base, uint64_t size);
/* May the device of that ordinal use all of [base, base + size)? */
bool fake_device_peer_reaches(struct gasan_device *device, uint64_t base, uint64_t size, int peer);
/* Can all of [base, base + size) be read? */
bool fake_device_readable(struct gasan_device *device, uint64_t base, uint64_t size);

#endif
