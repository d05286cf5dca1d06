/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a program that was linked without the runtime tells the runtime that it was started again with it. */
#ifndef GASAN_BASE_PRELOAD_H
#define GASAN_BASE_PRELOAD_H

/* Environment variable with LD_PRELOAD's former value. */
#define GASAN_PRELOADED "GASAN_PRELOADED"

#endif
