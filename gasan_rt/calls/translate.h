/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The border between the program's pointers and device addresses, at the device's own CUDA calls. Any thread; the lock
 * is that of translated_call.h.
 *
 * The program may have handles (GASAN_OPTIONS=pool=handles) or tagged pointers (-fsanitize-gpu-address-tags) in place
 * of addresses. Code above this border (interception, checks, reports) uses the program's pointers; code below uses
 * addresses. */
#ifndef GASAN_RT_TRANSLATE_H
#define GASAN_RT_TRANSLATE_H

#include <stdbool.h>

#include "device/device.h"

/* Returns the function to which calls of `symbol` go. This function translates the call's pointers and then calls
 * `target`, the device's own function. It is `target` itself if the call takes no pointers, or if all pointers of the
 * process are addresses. */
void *gasan_translate_call(const char *symbol, void *target);

/* For struct gasan_pool_options. Returns true if no work of this process uses the device's pool; none starts before
 * end_still is called. Returns false if some work does, or may. Never waits for other threads. */
bool gasan_translate_try_still(struct gasan_device *device);
void gasan_translate_end_still(struct gasan_device *device);

#endif
