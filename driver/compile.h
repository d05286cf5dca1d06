/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One CUDA source to one object, with checks in its device code and the CPU image inside. */
#ifndef GASAN_DRIVER_COMPILE_H
#define GASAN_DRIVER_COMPILE_H

#include "driver/toolchain.h"

struct gasan_compile_job {
  const struct gasan_argument *source;
  const char *object;            /* what to write */
  const char *dependency_target; /* what a dependency file is about; its own name comes from it too */
  const char *stem;              /* what temporary files are called after, different for each source */
};

/* The exit status of the first step that failed, or 0. */
int gasan_compile_run(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job);

/* Where a -fgpu-rdc compile keeps the bitcode for one architecture. */
const char *gasan_compile_rdc_bitcode(const char *stem, const char *architecture);

/* Has clang do what it can do alone (-E, -S, -fsyntax-only, --cuda-device-only, ...); device-only output is
 * instrumented. Does not return, except under -###. */
int gasan_compile_inspect(const struct gasan_toolchain *toolchain);

#endif
