/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The front door at the driver API, for code that is not linked to gasan: libgasan_preload.so passes the process's
 * calls of libcuda to these functions. Most driver functions have the parameters of a function of the runtime API, and
 * go to its handler in gasan_rt/calls. Any thread; no lock of its own.
 *
 * The folder door/ is above calls/. It translates, and decides nothing. */
#ifndef GASAN_RT_DOOR_CALLS_H
#define GASAN_RT_DOOR_CALLS_H

#include "gasan_rt/calls/driver_calls.h"

/* The handlers. */
#define GASAN_DOOR_CALL(name, symbol, handler, stream, arguments, ...)                                                 \
  CUresult gasan_door_call_##handler(struct gasan_driver_call *call, __VA_ARGS__);
#define GASAN_DOOR_CALL_PLAIN(name, symbol, handler) CUresult gasan_door_call_##handler(struct gasan_driver_call *call);
#include "gasan_rt/door/door_calls.inc"
#undef GASAN_DOOR_CALL
#undef GASAN_DOOR_CALL_PLAIN

/* Returns gasan's function for a symbol of libcuda; NULL: gasan does not intercept it. libgasan_preload.so calls it. */
void *gasan_door_function(const char *symbol);

#endif
