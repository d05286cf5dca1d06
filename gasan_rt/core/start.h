/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start of the runtime: chooses the kind of device, and reads how the program's images were compiled.
 *
 * Any thread. The runtime starts once, at the first CUDA call that needs a device. Registrations alone do not start it,
 * so a program may fork before it uses CUDA. The only lock is pthread_once, held while the kind starts. */
#ifndef GASAN_RT_START_H
#define GASAN_RT_START_H

#include <stdbool.h>
#include <stdint.h>

#include "device/cpu/cpu.h"
#include "device/device.h"

/* Starts the runtime if needed. Ends the process with a message if the requested device does not exist. */
const struct gasan_device_kind *gasan_rt_kind(void);

/* Returns true between the start of the runtime and the end of the process; false in a forked child. */
bool gasan_rt_started(void);

/* Returns true in the child of a process that had started the runtime. */
bool gasan_rt_forked(void);

/* Returns true if the program was compiled with -fsanitize-gpu-address-tags. */
bool gasan_rt_tags(void);

/* Returns how the registered images were compiled. Ends the process with a message if they contradict each other. */
struct gasan_cpu_checks gasan_rt_image_checks(void);

/* Returns the scale of the shadow that such images need; 0: none. */
uint32_t gasan_rt_shadow_scale(const struct gasan_cpu_checks *checks);

#endif
