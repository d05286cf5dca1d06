/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all steps of one run of the driver share, and the pieces of command lines that they have in common. */
#ifndef GASAN_DRIVER_TOOLCHAIN_H
#define GASAN_DRIVER_TOOLCHAIN_H

#include "driver/arguments.h"
#include "driver/paths.h"

struct gasan_toolchain {
  const struct gasan_arguments *arguments;
  struct gasan_paths paths;
  const char *granule;                /* of the checks: "128" */
  const char *mode;                   /* what a check is: "shadow" */
  const char *tags;                   /* do pointers have them: "off" */
  const char *cuda;                   /* the toolkit's folder */
  struct gasan_strings architectures; /* oldest first; empty until something is compiled for a device */
  bool may_fail; /* the steps are an attempt, which is followed by one with fewer variants (attempts.h) */
};

/* Starts a command that runs clang on the user's sources: as C or C++ driver, coloured if the terminal would be. */
void gasan_toolchain_push_clang(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* Starts a command that runs clang on bitcode. */
void gasan_toolchain_push_ir_clang(const struct gasan_toolchain *toolchain, struct gasan_strings *command,
                                   const char *target);
/* Loads the pass plugin twice over: once for the passes, once early enough for its -mllvm options to be known. */
void gasan_toolchain_push_plugin(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* The plugin, told to mark what is to get checks at the link of -fgpu-rdc. */
void gasan_toolchain_push_preparation(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* The plugin, told to put checks into device code, or, with -fsanitize-gpu-address-checks=asan, to answer those of
 * clang's AddressSanitizer. */
void gasan_toolchain_push_instrumentation(const struct gasan_toolchain *toolchain, struct gasan_strings *command,
                                          bool keep_debug);
/* clang's AddressSanitizer for device code. On its own it would do nothing there but mark functions. */
void gasan_toolchain_push_sanitizer(struct gasan_strings *command);
/* For a device compile from source: has clang mark each function that is not no_sanitize("address"), and keeps the line
 * tables that the sites need. */
void gasan_toolchain_push_marks(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* The toolkit and the architecture of a command with CUDA sources, where the user named none. */
void gasan_toolchain_push_defaults(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* For any compile of CUDA source. */
void gasan_toolchain_push_cuda(const struct gasan_toolchain *toolchain, struct gasan_strings *command);

#endif
