/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's state for each device ordinal, and the device's own functions of the CUDA API. Any thread.
 *
 * The folder core/ starts the runtime, opens devices, and ends the process. It knows the folders above it only through
 * hooks (hooks.h). Its locks: `start_once` (start.c) while the runtime starts; `open_lock` (runtime.c) while a device
 * is opened, under which the pool and the folders memory/ and launch/ create their parts; a lock each in
 * stream_capture.c and forward.c, under which nothing is called. Finding an opened device takes no lock. */
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

/* The greatest number of device ordinals. Devices with greater ordinals are not checked. */
#define GASAN_RT_DEVICES 64

/* One device ordinal, created at its first use. */
struct gasan_rt_device {
  struct gasan_device *device;
  struct gasan_pool *pool;    /* NULL: the device has no virtual memory management; allocations are not checked */
  struct gasan_params params; /* the parameters of every image on the device, except module_id */
  bool shadow;                /* the pool has data for shadow mode */
  _Atomic bool tables;        /* ... and for BST mode: from the start, or later (memory/device_memory.h) */
  uint32_t shadow_scale;      /* of the pool's shadow; 0: no shadow */
  struct gasan_ring *ring;
  uint64_t control_address;
  struct gasan_device_memory *memory;     /* memory/device_memory.h */
  struct gasan_device_launches *launches; /* launch/device_launches.h */
};

/* Ends the process with a message if registered modules contradict each other or an existing pool: different granules,
 * or tags in some modules only. */
void gasan_rt_check_images(void);

/* Returns the state of the calling thread's current device. NULL: the device cannot be opened, or a parent process
 * opened it. The caller then forwards the call, so that the program gets CUDA's own error. */
struct gasan_rt_device *gasan_rt_current(void);

/* Returns the state of an ordinal; opens the device if needed. NULL: it cannot be opened. */
struct gasan_rt_device *gasan_rt_open(int ordinal);

/* Returns the state of an ordinal; NULL: it is not open. */
struct gasan_rt_device *gasan_rt_device(int ordinal);

/* Returns the device whose pool's window has the address, or NULL. No lock. Returns NULL in a forked child. */
struct gasan_rt_device *gasan_rt_owner(const void *address);

/* Calls visit for each opened device. */
void gasan_rt_each_device(void (*visit)(struct gasan_rt_device *state));

/* Waits for all work of all streams of the device, like `synchronize` of its kind, which other folders must not call.
 */
struct gasan_status gasan_rt_synchronize(struct gasan_rt_device *state);

/* Evaluates to the device's own implementation of the API function for calls that the program has not made, which is
 * looked up once: cudaError_t error = GASAN_REAL(cudaFree)(pointer); */
#define GASAN_REAL(function)                                                                                           \
  ({                                                                                                                   \
    static void *_Atomic real_;                                                                                        \
    void *target_ = atomic_load(&real_);                                                                               \
    if (!target_) {                                                                                                    \
      target_ = gasan_forward_own(#function);                                                                          \
      atomic_store(&real_, target_);                                                                                   \
    }                                                                                                                  \
    (__typeof__(&function))target_;                                                                                    \
  })

/* Returns the function to which calls of `symbol` go on this device; never NULL. If the device lacks the function,
 * returns one that returns cudaErrorNotSupported, and prints a warning, once for each symbol. */
void *gasan_forward_target(const char *symbol);
/* The same for gasan's own calls (own_api of the device's kind). */
void *gasan_forward_own(const char *symbol);

#endif
