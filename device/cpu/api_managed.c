/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Managed memory: advice, prefetching and attributes of ranges. Host and device share their memory, so advice and
 * locations are only stored. They are stored for the whole allocation, even if the program names a part of it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/memory.h"

struct advice {
  uintptr_t base;
  bool read_mostly, host_accesses, device_accesses;
  struct cudaMemLocation preferred, prefetched; /* type cudaMemLocationTypeInvalid: none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct advice *advised;
static size_t advised_count;

static const struct cudaMemLocation no_location = {cudaMemLocationTypeInvalid, cudaInvalidDeviceId};

/* Returns the advice for an allocation; NULL: there is none. Must be called with the lock. */
static struct advice *find(uintptr_t base) {
  for (size_t i = 0; i < advised_count; i++)
    if (advised[i].base == base)
      return &advised[i];
  return NULL;
}

/* Does the same, and adds advice if there is none. NULL: no memory. Must be called with the lock. */
static struct advice *find_or_add(uintptr_t base) {
  struct advice *known = find(base);
  if (known)
    return known;
  struct advice *more = realloc(advised, (advised_count + 1) * sizeof *advised);
  if (!more)
    return NULL;
  advised = more;
  advised[advised_count] = (struct advice){.base = base, .preferred = no_location, .prefetched = no_location};
  return &advised[advised_count++];
}

void gasan_cpu_managed_forget(const void *pointer) {
  pthread_mutex_lock(&lock);
  struct advice *known = find((uintptr_t)pointer);
  if (known)
    *known = advised[--advised_count];
  pthread_mutex_unlock(&lock);
}

/* Accepts a range inside one managed allocation, and a range of the program's own memory, which the device can
 * access. */
static cudaError_t check_range(const void *pointer, size_t size, struct gasan_cpu_range *range) {
  memset(range, 0, sizeof *range);
  if (!pointer || !size)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (!gasan_cpu_memory_find(pointer, range))
    return gasan_cpu_check();
  if (!(range->tag & GASAN_CPU_MEMORY_ALL_MANAGED) || size > range->base + range->size - (uintptr_t)pointer)
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_check();
}

static bool is_host(struct cudaMemLocation location) {
  return location.type == cudaMemLocationTypeHost || location.type == cudaMemLocationTypeHostNuma ||
         location.type == cudaMemLocationTypeHostNumaCurrent ||
         (location.type == cudaMemLocationTypeDevice && location.id == cudaCpuDeviceId);
}

static bool is_device(struct cudaMemLocation location) {
  return location.type == cudaMemLocationTypeDevice && location.id == 0;
}

/* Stores advice. Returns false if CUDA has no such advice. */
static bool take_advice(struct advice *known, enum cudaMemoryAdvise advice, struct cudaMemLocation location) {
  switch (advice) {
  case cudaMemAdviseSetReadMostly:
  case cudaMemAdviseUnsetReadMostly:
    known->read_mostly = advice == cudaMemAdviseSetReadMostly;
    return true;
  case cudaMemAdviseSetPreferredLocation:
    known->preferred = location;
    return true;
  case cudaMemAdviseUnsetPreferredLocation:
    known->preferred = no_location;
    return true;
  case cudaMemAdviseSetAccessedBy:
  case cudaMemAdviseUnsetAccessedBy:
    *(is_host(location) ? &known->host_accesses : &known->device_accesses) = advice == cudaMemAdviseSetAccessedBy;
    return true;
  }
  return false;
}

static bool ignores_location(enum cudaMemoryAdvise advice) {
  return advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly ||
         advice == cudaMemAdviseUnsetPreferredLocation;
}

cudaError_t gasan_cpu_cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                                    struct cudaMemLocation location) {
  struct gasan_cpu_range range;
  cudaError_t error = check_range(pointer, size, &range);
  if (error != cudaSuccess)
    return error;
  if (!ignores_location(advice) && !is_host(location) && !is_device(location))
    return gasan_cpu_result(location.type == cudaMemLocationTypeDevice ? cudaErrorInvalidDevice
                                                                       : cudaErrorInvalidValue);
  struct advice elsewhere = {0};
  pthread_mutex_lock(&lock);
  struct advice *known = range.size ? find_or_add(range.base) : &elsewhere;
  bool taken = known && take_advice(known, advice, location);
  pthread_mutex_unlock(&lock);
  return taken ? cudaSuccess : gasan_cpu_result(known ? cudaErrorInvalidValue : cudaErrorMemoryAllocation);
}

cudaError_t gasan_cpu_cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                           unsigned flags, cudaStream_t stream) {
  struct gasan_cpu_range range;
  cudaError_t error = gasan_cpu_check_stream(stream);
  if (error == cudaSuccess)
    error = check_range(pointer, size, &range);
  if (error != cudaSuccess)
    return error;
  if (flags || (!is_host(location) && !is_device(location)))
    return gasan_cpu_result(flags || location.type != cudaMemLocationTypeDevice ? cudaErrorInvalidValue
                                                                                : cudaErrorInvalidDevice);
  pthread_mutex_lock(&lock);
  struct advice *known = range.size ? find_or_add(range.base) : NULL;
  if (known)
    known->prefetched = location;
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

/* Returns a location as a single number, as in CUDA's older attributes. */
static int number_of(struct cudaMemLocation location) {
  return is_host(location) ? cudaCpuDeviceId : is_device(location) ? 0 : cudaInvalidDeviceId;
}

/* Writes the devices that access the range, and cudaInvalidDeviceId to the rest of the array. */
static void write_accessors(const struct advice *known, int *devices, size_t count) {
  size_t next = 0;
  if (known->device_accesses)
    devices[next++] = 0;
  if (known->host_accesses && next < count)
    devices[next++] = cudaCpuDeviceId;
  while (next < count)
    devices[next++] = cudaInvalidDeviceId;
}

cudaError_t gasan_cpu_cudaMemRangeGetAttribute(void *data, size_t data_size, enum cudaMemRangeAttribute attribute,
                                               const void *pointer, size_t size) {
  struct gasan_cpu_range range;
  cudaError_t error = check_range(pointer, size, &range);
  if (error != cudaSuccess)
    return error;
  bool many = attribute == cudaMemRangeAttributeAccessedBy;
  if (!data || !range.size || (many ? data_size == 0 || data_size % sizeof(int) : data_size != sizeof(int)))
    return gasan_cpu_result(cudaErrorInvalidValue);
  struct advice known = {.preferred = no_location, .prefetched = no_location};
  pthread_mutex_lock(&lock);
  if (find(range.base))
    known = *find(range.base);
  pthread_mutex_unlock(&lock);
  int *value = data;
  switch (attribute) {
  case cudaMemRangeAttributeReadMostly:
    *value = known.read_mostly;
    return cudaSuccess;
  case cudaMemRangeAttributePreferredLocation:
    *value = number_of(known.preferred);
    return cudaSuccess;
  case cudaMemRangeAttributeAccessedBy:
    write_accessors(&known, value, data_size / sizeof(int));
    return cudaSuccess;
  case cudaMemRangeAttributeLastPrefetchLocation:
    *value = number_of(known.prefetched);
    return cudaSuccess;
  case cudaMemRangeAttributePreferredLocationType:
    *value = (int)known.preferred.type;
    return cudaSuccess;
  case cudaMemRangeAttributePreferredLocationId:
    *value = known.preferred.id;
    return cudaSuccess;
  case cudaMemRangeAttributeLastPrefetchLocationType:
    *value = (int)known.prefetched.type;
    return cudaSuccess;
  case cudaMemRangeAttributeLastPrefetchLocationId:
    *value = known.prefetched.id;
    return cudaSuccess;
  }
  return gasan_cpu_result(cudaErrorInvalidValue);
}

cudaError_t gasan_cpu_cudaMemRangeGetAttributes(void **data, size_t *data_sizes, enum cudaMemRangeAttribute *attributes,
                                                size_t count, const void *pointer, size_t size) {
  if (!data || !data_sizes || !attributes || !count)
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; error == cudaSuccess && i < count; i++)
    error = gasan_cpu_cudaMemRangeGetAttribute(data[i], data_sizes[i], attributes[i], pointer, size);
  return error;
}

cudaError_t gasan_cpu_cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t size, unsigned flags) {
  struct gasan_cpu_range range;
  if (!pointer || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle))
    return gasan_cpu_result(cudaErrorInvalidValue);
  /* Refuse to attach memory to a default stream. The size must be 0 or the allocation's. */
  if (flags == cudaMemAttachSingle && (stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread))
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (gasan_cpu_memory_find(pointer, &range) &&
      (!(range.tag & GASAN_CPU_MEMORY_ALL_MANAGED) || (size && size != range.size)))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_check_stream(stream);
}
