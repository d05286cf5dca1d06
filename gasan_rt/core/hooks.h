/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What core needs of the folders above it, which it does not know: launch/ collects faults and prints statistics,
 * memory/ and launch/ keep state for each device, calls/ translates pointers. calls/connect.c sets all of these hooks
 * while the library is loaded, before any other thread runs; nobody changes them later. No lock is held when one is
 * called. */
#ifndef GASAN_RT_HOOKS_H
#define GASAN_RT_HOOKS_H

#include <stdbool.h>

#include "device/device.h"

struct gasan_cpu_finding;
struct gasan_rt_device;

struct gasan_rt_hooks {
  /* The start. `registered`: hands all registrations so far to the kind. `takes_handles`: were all instrumented modules
   * so far compiled for handles, and at least one? `open_memory`, `open_launches`: make the folder's own part of a
   * device that is otherwise complete. */
  void (*registered)(const struct gasan_device_kind *kind);
  bool (*takes_handles)(struct gasan_device *device);
  void (*open_memory)(struct gasan_rt_device *state);
  void (*open_launches)(struct gasan_rt_device *state);

  /* Pointers on their way to the device's own functions: what a call of `symbol` goes to instead of `target`; and, for
   * a pool that moves, whether nothing of this process uses it until end_still. */
  void *(*translate)(const char *symbol, void *target);
  bool (*try_still)(struct gasan_device *device);
  void (*end_still)(struct gasan_device *device);

  /* Faults: what the CPU device has found; all work of the device is complete, since a wait for it has just ended with
   * `error` (cudaError_t, or the driver's); what has been recorded is to be reported; a call that may have been about
   * any device has ended with `error`. */
  void (*found)(const struct gasan_cpu_finding *finding);
  void (*waited)(struct gasan_rt_device *state, int error);
  void (*peek)(struct gasan_rt_device *state);
  void (*failed)(int error);

  /* The end of the process, in this order: nobody asks devices any more; the devices are idle; the statistics; and,
   * behind the program's destructors, its leaks. */
  void (*end_polls)(void);
  void (*finish_devices)(void);
  void (*print_stats)(void);
  void (*report_leaks)(void);
};

void gasan_rt_connect(const struct gasan_rt_hooks *hooks);

/* Valid from the library's constructors on. */
const struct gasan_rt_hooks *gasan_rt_hooks(void);

#endif
