/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the runtime keeps for each device ordinal, and the device's own functions of the CUDA API.
 *
 * Any thread. Devices are opened under a lock of this file (`open_lock`), under which the pool, the memory and the
 * launch folder make their parts; who finds an opened one takes no lock. */
#ifndef GASAN_RT_RUNTIME_H
#define GASAN_RT_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/abi.h"
#include "device/device.h"
#include "gasan_rt/core/start.h"
#include "gasan_rt/core/warn.h"
#include "pool/pool.h"

/* As many ordinals as are known by number; further devices are not checked. */
#define GASAN_RT_DEVICES 64

/* One device ordinal, made when it is first used. */
struct gasan_rt_device {
  struct gasan_device *device;
  struct gasan_pool *pool;    /* NULL: the device has no virtual memory management; allocations are not checked */
  struct gasan_params params; /* what every image on the device gets, but for module_id */
  bool shadow, tables;        /* what the pool has for code in shadow mode and in BST mode */
  uint32_t shadow_scale;      /* that the pool was created for; 0: without a shadow */
  struct gasan_ring *ring;
  uint64_t control_address;
  struct gasan_device_memory *memory;     /* memory/device_memory.h */
  struct gasan_device_launches *launches; /* launch/device_launches.h */
};

/* Ends the process with a sentence if modules are registered that were compiled with different granules, or some with
 * tags and some without, or with another granule than that of a pool that there is. */
void gasan_rt_check_images(void);

/* The state of the device that is current on the calling thread. NULL: the device cannot be opened, or was opened by
 * the process that forked this one; the caller forwards the call, so the program sees CUDA's own error. */
struct gasan_rt_device *gasan_rt_current(void);

/* The state of an ordinal, opened if need be. NULL: it cannot be. */
struct gasan_rt_device *gasan_rt_open(int ordinal);

/* The state of an ordinal that was opened before. */
struct gasan_rt_device *gasan_rt_device(int ordinal);

/* The device whose pool has the address in its window, or NULL. No lock. In the forked child there is none. */
struct gasan_rt_device *gasan_rt_owner(const void *address);

/* Calls visit for each opened device. */
void gasan_rt_each_device(void (*visit)(struct gasan_rt_device *state));

/* The device kind's own implementation of the API function, found once:
 * cudaError_t error = GASAN_REAL(cudaFree)(pointer); */
#define GASAN_REAL(function)                                                                                           \
  ({                                                                                                                   \
    static void *_Atomic real_;                                                                                        \
    void *target_ = atomic_load(&real_);                                                                               \
    if (!target_) {                                                                                                    \
      target_ = gasan_forward_target(#function);                                                                       \
      atomic_store(&real_, target_);                                                                                   \
    }                                                                                                                  \
    (__typeof__(&function))target_;                                                                                    \
  })

/* The function that a call of `symbol` goes to on this device; never NULL: one that says "not supported" by name, once,
 * and returns cudaErrorNotSupported stands in for a missing one. */
void *gasan_forward_target(const char *symbol);

#endif
