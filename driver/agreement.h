/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a link's objects must have in common: the granule (bytes that a shadow byte stands for), because a program has
 * one shadow, and whether pointers have tags. */
#ifndef GASAN_DRIVER_AGREEMENT_H
#define GASAN_DRIVER_AGREEMENT_H

#include "driver/file.h"

struct gasan_common_value {
  const char *value, *file; /* of the first object that has one; NULL: none yet */
};

struct gasan_agreement {
  struct gasan_common_value granule, tags;
};

/* Ends the process, and names both files, if the object does not fit with those before. An object without checks fits
 * with all. Members of archives that the link may leave out are not for this: the runtime finds them at the start. */
void gasan_agreement_add(struct gasan_agreement *agreement, const char *file, struct gasan_bytes object);

#endif
