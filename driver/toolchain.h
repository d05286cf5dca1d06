/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Holds the data that all steps of one run of the driver share, and builds the common parts of their command lines. */
#ifndef GASAN_DRIVER_TOOLCHAIN_H
#define GASAN_DRIVER_TOOLCHAIN_H

#include "driver/arguments.h"
#include "driver/paths.h"

struct gasan_toolchain {
  const struct gasan_arguments *arguments;
  struct gasan_paths paths;
  const char *granule;                /* of the checks: "128" */
  const char *mode;                   /* of the checks: "shadow" */
  const char *tags;                   /* "on": pointers have tags; "off" */
  const char *cuda;                   /* the toolkit's folder */
  const char *program_cuda;           /* "12": the headers that a link's objects were compiled with; NULL: unknown */
  struct gasan_strings architectures; /* oldest first; empty until something is compiled for a device */
  bool may_fail;                      /* the steps are an attempt, followed by one with fewer variants (attempts.h) */
};

/* Starts a command that compiles the user's sources with clang: as C or C++ driver, with colours if this process
 * writes to a terminal. */
void gasan_toolchain_push_clang(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* Starts a command that compiles bitcode with clang. */
void gasan_toolchain_push_ir_clang(const struct gasan_toolchain *toolchain, struct gasan_strings *command,
                                   const char *target);
/* Loads the pass plugin twice: once for the passes, and once early enough for clang to know its -mllvm options. */
void gasan_toolchain_push_plugin(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* Adds the plugin with options that mark the functions which get checks at the link of -fgpu-rdc. */
void gasan_toolchain_push_preparation(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* Adds the plugin with options that insert checks into device code, or, with -fsanitize-gpu-address-checks=asan,
 * implement the calls of clang's AddressSanitizer. */
void gasan_toolchain_push_instrumentation(const struct gasan_toolchain *toolchain, struct gasan_strings *command,
                                          bool keep_debug);
/* Adds clang's AddressSanitizer for device code. On its own it would only mark functions there. */
void gasan_toolchain_push_sanitizer(struct gasan_strings *command);
/* For a device compile from source: makes clang mark each function that is not no_sanitize("address"), and keep the
 * line tables that sites need. */
void gasan_toolchain_push_marks(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* Adds the toolkit and the architecture for CUDA sources, if the user named none. */
void gasan_toolchain_push_defaults(const struct gasan_toolchain *toolchain, struct gasan_strings *command);
/* Adds the options for every compile of CUDA source. */
void gasan_toolchain_push_cuda(const struct gasan_toolchain *toolchain, struct gasan_strings *command);

#endif
