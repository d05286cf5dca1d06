/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Declares the environment variable by which a program that was linked without the runtime, and was started again with
 * it in LD_PRELOAD, passes LD_PRELOAD's former value to the runtime. */
#ifndef GASAN_BASE_PRELOAD_H
#define GASAN_BASE_PRELOAD_H

/* LD_PRELOAD's former value; empty: LD_PRELOAD was not set. */
#define GASAN_PRELOADED "GASAN_PRELOADED"

/* A symbol of libgasan_preload.so, by which the runtime finds out that the library is in the process. */
#define GASAN_PRELOAD_SYMBOL "gasan_preload_calls"

#endif
