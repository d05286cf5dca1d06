/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the host code that replaces nvlink's: it registers the linked GPU binary when the program starts. */
#ifndef GASAN_DRIVER_RDC_STUB_H
#define GASAN_DRIVER_RDC_STUB_H

#include "driver/toolchain.h"

/* Prefix of a function that each -fgpu-rdc object calls, with the function that registers its kernels and variables. */
#define GASAN_RDC_REGISTRATION "__cudaRegisterLinkedBinary_"

/* Writes the stub's source, with a definition for each of `registrations`, and makes the command that compiles it. */
void gasan_rdc_stub_push_compile(const struct gasan_toolchain *toolchain, const char *gpu_binary,
                                 const struct gasan_strings *registrations, const char *stem, const char *object,
                                 struct gasan_strings *command);

#endif
