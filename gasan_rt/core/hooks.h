/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the folders above core that core calls. launch/ collects faults and prints statistics; memory/ and
 * launch/ have state for each device; calls/ translates pointers. calls/connect.c sets all hooks while the library is
 * loaded, before any other thread runs; they never change afterwards. `registered` is called while the runtime starts
 * (start_once), takes_handles, open_memory and open_launches under open_lock, and try_still and end_still under the
 * pool's lock. No lock is held when core calls another hook. */
#ifndef GASAN_RT_HOOKS_H
#define GASAN_RT_HOOKS_H

#include <stdbool.h>

#include "device/device.h"

struct gasan_canary_damage;
struct gasan_cpu_finding;
struct gasan_rt_device;

struct gasan_rt_hooks {
  /* The start. `registered` passes all registrations to the device kind. `takes_handles` returns true if there are
   * modules with checks and all of them were compiled for handles. `open_memory` and `open_launches` create the
   * folder's state of a device whose other parts are complete. */
  void (*registered)(const struct gasan_device_kind *kind);
  bool (*takes_handles)(struct gasan_device *device);
  void (*open_memory)(struct gasan_rt_device *state);
  void (*open_launches)(struct gasan_rt_device *state);

  /* Pointers in calls of the device's own functions. `translate` returns the function to which calls of `symbol` go, in
   * place of `target`. `try_still` returns true if no work of this process uses a moving pool; none starts before
   * end_still is called. */
  void *(*translate)(const char *symbol, void *target);
  bool (*try_still)(struct gasan_device *device);
  void (*end_still)(struct gasan_device *device);

  /* Faults. `found` reports a finding of the CPU device. `waited` is called after a wait for the device, when all its
   * work is complete; `error` (cudaError_t or the driver's) is the result of the wait. `peek` reports new records.
   * `failed` gets the error of a call whose device is not known. */
  void (*found)(const struct gasan_cpu_finding *finding);
  void (*waited)(struct gasan_rt_device *state, int error);
  void (*peek)(struct gasan_rt_device *state);
  void (*failed)(int error);
  /* Around each wait for all work of a device. wait_begins returns the value for wait_ended. */
  bool (*wait_begins)(struct gasan_rt_device *state);
  void (*wait_ended)(struct gasan_rt_device *state, bool begun);
  /* Reports a damaged canary that the host has found (memory/canary.h). */
  void (*damaged)(struct gasan_rt_device *state, const struct gasan_canary_damage *damage);

  /* The end of the process, in this order: stop polling devices; wait for the devices; print the counts of
   * errors, and write their files; print the statistics, and the memory without guards; and, after the program's
   * destructors, report leaks. `any_report`: the process must not end with exit code 0. */
  void (*end_polls)(void);
  void (*finish_devices)(void);
  void (*finish_reports)(void);
  bool (*any_report)(void);
  void (*print_stats)(void);
  void (*print_unguarded)(void);
  void (*report_leaks)(void);
};

void gasan_rt_connect(const struct gasan_rt_hooks *hooks);

/* Returns the hooks; valid from the library's constructors on. */
const struct gasan_rt_hooks *gasan_rt_hooks(void);

#endif
