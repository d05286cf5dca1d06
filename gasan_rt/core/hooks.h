/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the folders above core that core calls: launch/ collects faults and prints statistics, memory/ and
 * launch/ have state for each device, calls/ translates pointers. calls/connect.c sets all hooks while the library is
 * loaded, before any other thread runs; they never change. No lock is held when a hook is called. */
#ifndef GASAN_RT_HOOKS_H
#define GASAN_RT_HOOKS_H

#include <stdbool.h>

#include "device/device.h"

struct gasan_cpu_finding;
struct gasan_rt_device;

struct gasan_rt_hooks {
  /* The start. `registered` replays all registrations to the kind. `takes_handles` returns true if there are modules
   * with checks and all were compiled for handles. `open_memory` and `open_launches` make the folder's state of a
   * device that is otherwise complete. */
  void (*registered)(const struct gasan_device_kind *kind);
  bool (*takes_handles)(struct gasan_device *device);
  void (*open_memory)(struct gasan_rt_device *state);
  void (*open_launches)(struct gasan_rt_device *state);

  /* Pointers in calls to the device's own functions. `translate` returns the function for calls of `symbol`, in place
   * of `target`. `try_still` returns true if no work of this process uses a moving pool until end_still. */
  void *(*translate)(const char *symbol, void *target);
  bool (*try_still)(struct gasan_device *device);
  void (*end_still)(struct gasan_device *device);

  /* Faults. `found` reports a finding of the CPU device. `waited` is called after a wait for the device, when all its
   * work is complete; the wait's result is `error` (cudaError_t or the driver's). `peek` reports new records. `failed`
   * takes the error of a call whose device is not known. */
  void (*found)(const struct gasan_cpu_finding *finding);
  void (*waited)(struct gasan_rt_device *state, int error);
  void (*peek)(struct gasan_rt_device *state);
  void (*failed)(int error);

  /* The end of the process, in this order: stop polling devices; wait for the devices; print the statistics; and, after
   * the program's destructors, report leaks. */
  void (*end_polls)(void);
  void (*finish_devices)(void);
  void (*print_stats)(void);
  void (*report_leaks)(void);
};

void gasan_rt_connect(const struct gasan_rt_hooks *hooks);

/* Returns the hooks; valid from the library's constructors on. */
const struct gasan_rt_hooks *gasan_rt_hooks(void);

#endif
