/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the program holds in place of device addresses: handles (GASAN_OPTIONS=pool=handles) or tagged pointers
 * (-fsanitize-gpu-address-tags), and the border between it and the device's own CUDA calls. Everything above this
 * border (interception, checks, reports) speaks of the program's pointers, everything below of addresses. Any thread.
 */
#ifndef GASAN_RT_TRANSLATE_H
#define GASAN_RT_TRANSLATE_H

#include <stdbool.h>

#include "device/device.h"

/* What a call of `symbol` goes to instead of the device's own `target`: a function that translates its pointers; target
 * itself if the call takes none, or if the program holds addresses from the start of the runtime to its end. */
void *gasan_translate_call(const char *symbol, void *target);

/* For struct gasan_pool_options: nothing of this process uses the device's pool until end_still. False: something does,
 * or may. */
bool gasan_translate_try_still(struct gasan_device *device);
void gasan_translate_end_still(struct gasan_device *device);

#endif
