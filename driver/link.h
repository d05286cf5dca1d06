/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Links with clang, with gasan's runtime in place of CUDA's. */
#ifndef GASAN_DRIVER_LINK_H
#define GASAN_DRIVER_LINK_H

#include "driver/toolchain.h"

/* The objects of a link, by argument of the command line: for a CUDA source, the object made from it, and the prefix of
 * its temporary files' names; NULL for all other arguments. */
struct gasan_link_objects {
  const char **paths;
  const char **stems;
};

/* Ends the process with a message if the link is not possible. Must be called before the sources are compiled. */
void gasan_link_check(const struct gasan_arguments *arguments);

/* Adds clang's link command, in the user's order. CUDA sources are replaced by their objects, or left out if they
 * have none. Leaves out -o, gasan's options and cudart. */
void gasan_link_push_inputs(const struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects,
                            struct gasan_strings *command);

/* Links, and compiles sources that are not CUDA. Returns the exit status of the first step that failed, or 0. */
int gasan_link_run(struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects);

#endif
