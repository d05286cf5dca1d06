/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The host code that stands for nvlink's: it registers the linked GPU binary when the program starts. */
#ifndef GASAN_DRIVER_RDC_STUB_H
#define GASAN_DRIVER_RDC_STUB_H

#include "driver/toolchain.h"

/* Each -fgpu-rdc object calls a function of this prefix, with the function that registers its kernels and variables. */
#define GASAN_RDC_REGISTRATION "__cudaRegisterLinkedBinary_"

/* Writes the stub's source, with a definition for each of `registrations`, and makes the command that compiles it. */
void gasan_rdc_stub_push_compile(const struct gasan_toolchain *toolchain, const char *gpu_binary,
                                 const struct gasan_strings *registrations, const char *stem, const char *object,
                                 struct gasan_strings *command);

#endif
