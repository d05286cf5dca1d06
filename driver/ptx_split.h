/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Divides a PTX file into the program's code and the device runtime (driver/cubin.h). */
#ifndef GASAN_DRIVER_PTX_SPLIT_H
#define GASAN_DRIVER_PTX_SPLIT_H

#include <stdbool.h>

/* Writes two files: `program`, in which the runtime's functions and GASAN_PARAMS_SYMBOL are external, and `runtime`,
 * which defines them. Returns false, and writes nothing, if the file has no function of the runtime, or if the
 * runtime's functions need something that only the program's code can define. */
bool gasan_ptx_split(const char *assembly, const char *program, const char *runtime);

#endif
