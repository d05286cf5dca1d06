/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the user learns about the code that the program has loaded, with instrument=on: which kernels have checks, and
 * why others have none. Any thread. One lock (`code_lock`), under which nothing is called. */
#ifndef GASAN_RT_LOADED_CODE_H
#define GASAN_RT_LOADED_CODE_H

#include <stdbool.h>

/* Returns the current device's architecture (90 is sm_90), or the first device's if there is no context. */
int gasan_loaded_code_architecture(void);

/* With verbosity=1, says why code gets no checks, unless the reason is "". Says that it is LTO-IR whatever the
 * verbosity, once. `api`: the driver's function. */
void gasan_loaded_code_say_why(const char *api, const char *why);
/* Says once, whatever the verbosity, why LTO-IR gets no checks. */
void gasan_loaded_code_say_lto(const char *api, const char *why);

/* Adds a CUmodule or a CUlibrary that the driver has loaded. */
void gasan_loaded_code_add(void *handle, bool is_library, bool checked);
void gasan_loaded_code_remove(void *handle);
/* At its first call, says how many kernels of the code that is loaded have checks, how many have guards only, and
 * which. */
void gasan_loaded_code_say_kernels(void);

#endif
