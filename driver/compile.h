/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiles one CUDA source into one object, with checks in its device code and with the CPU image. */
#ifndef GASAN_DRIVER_COMPILE_H
#define GASAN_DRIVER_COMPILE_H

#include "driver/toolchain.h"

struct gasan_compile_job {
  const struct gasan_argument *source;
  const char *object;            /* the output */
  const char *dependency_target; /* the target in the dependency file, whose own name is derived from it, too */
  const char *stem;              /* prefix of the temporary files' names, different for each source */
};

/* Returns the exit status of the first step that failed, or 0. */
int gasan_compile_run(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job);

/* Returns the path of the bitcode of a -fgpu-rdc compile for one architecture. */
const char *gasan_compile_rdc_bitcode(const char *stem, const char *architecture);

/* Runs clang for a task that needs no further step (-E, -S, -fsyntax-only, --cuda-device-only, ...). Device-only output
 * is instrumented. Does not return, except with -###. */
int gasan_compile_inspect(const struct gasan_toolchain *toolchain);

#endif
