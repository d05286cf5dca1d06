/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small program on the driver API, correct or with a planted bug, for `gasan doctor`. */
#ifndef GASAN_PRELOAD_SELF_TEST_H
#define GASAN_PRELOAD_SELF_TEST_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the driver's version and the GPUs, or why there is none. Returns false if there is none. */
bool gasan_self_test_describe(char *text, size_t size);

/* Runs the program: "correct", "overflow" (a kernel writes behind its allocation) or "copy" (a copy reads behind it).
 * Returns the process's exit code. */
int gasan_self_test(const char *what);

#endif
