/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start of the runtime: which kind of device runs the kernels, and what the program's images ask of it.
 *
 * Any thread. The runtime starts once, at the first CUDA call that needs a device (registrations alone do not start
 * it), so a program may fork before it uses CUDA. No lock but pthread_once, which is held while the kind starts. */
#ifndef GASAN_RT_START_H
#define GASAN_RT_START_H

#include <stdbool.h>
#include <stdint.h>

#include "device/cpu/cpu.h"
#include "device/device.h"

/* Starts the runtime if need be. Ends the process with a sentence if the device that the user asked for is not there.
 */
const struct gasan_device_kind *gasan_rt_kind(void);

/* True between the start and the end of the process; not in a child of it. */
bool gasan_rt_started(void);

/* True in the child of a process that had started the runtime. */
bool gasan_rt_forked(void);

/* Was the program compiled with -fsanitize-gpu-address-tags? */
bool gasan_rt_tags(void);

/* How the registered images were compiled. Ends the process with a sentence if they contradict each other. */
struct gasan_cpu_checks gasan_rt_image_checks(void);

/* The scale of the shadow that such images need; 0: none. */
uint32_t gasan_rt_shadow_scale(const struct gasan_cpu_checks *checks);

#endif
