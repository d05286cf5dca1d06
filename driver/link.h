/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The link: clang's own, with gasan's runtime in place of CUDA's. */
#ifndef GASAN_DRIVER_LINK_H
#define GASAN_DRIVER_LINK_H

#include "driver/toolchain.h"

/* For each argument of the command line that is a CUDA source: the object made from it, and the stem of its temporary
 * files; NULL for all others. */
struct gasan_link_objects {
  const char **paths;
  const char **stems;
};

/* Ends the process with a message if what the user wants cannot be linked; for before the sources are compiled. */
void gasan_link_check(const struct gasan_arguments *arguments);

/* clang's command for everything but CUDA sources, in the user's order: those are replaced by their objects, or left
 * out where they have none; no -o, nothing of gasan's, no cudart. */
void gasan_link_push_inputs(const struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects,
                            struct gasan_strings *command);

/* Links; compiles what is not CUDA on the way. The exit status of the first step that failed, or 0. */
int gasan_link_run(struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects);

#endif
