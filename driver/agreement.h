/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks that all objects of a link agree on the granule (bytes for each shadow byte), because a program has one
 * shadow, on whether pointers have tags, and on the CUDA version (12 or 13), because the parameters of some functions
 * differ. */
#ifndef GASAN_DRIVER_AGREEMENT_H
#define GASAN_DRIVER_AGREEMENT_H

#include "driver/file.h"

struct gasan_common_value {
  const char *value, *file; /* from the first object that has it; NULL: none yet */
};

struct gasan_agreement {
  struct gasan_common_value granule, tags, cuda;
};

/* Returns "12" or "13", the major version of the CUDA headers that an object was compiled with (gasan_managed.h). NULL:
 * the object does not say. */
const char *gasan_agreement_cuda(struct gasan_bytes object);

/* Ends the process with a message that names both files, if the object disagrees with those before. An object
 * without checks agrees with all. Must not be called for members of archives that the link may leave out: the
 * runtime checks those at the start. */
void gasan_agreement_add(struct gasan_agreement *agreement, const char *file, struct gasan_bytes object);

#endif
