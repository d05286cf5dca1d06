/* Programs that hold handles (GASAN_OPTIONS=pool=handles): the border between them and the device's own CUDA calls. Everything
 * above this border (interception, checks, reports) speaks of handles, everything below of addresses. Any thread. */
#ifndef GASAN_RT_HANDLES_H
#define GASAN_RT_HANDLES_H

#include <stdbool.h>

#include "device/device.h"

/* Will a pool of this process move? The same answer from the start of the runtime on. */
bool gasan_handles_expected(void);

/* What a call of `symbol` goes to instead of the device's own `target`: a function that translates its handles, or target
 * itself if the call takes none. */
void *gasan_handles_wrap(const char *symbol, void *target);

/* For struct gasan_pool_options: nothing of this process uses the device's pool until end_still. False: something does, or may. */
bool gasan_handles_try_still(struct gasan_device *device);
void gasan_handles_end_still(struct gasan_device *device);

#endif
