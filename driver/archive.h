/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads ar archives (System V and GNU names, thin ones too). */
#ifndef GASAN_DRIVER_ARCHIVE_H
#define GASAN_DRIVER_ARCHIVE_H

#include "driver/file.h"

struct gasan_archive_member {
  const char *name;
  struct gasan_bytes contents;
};

bool gasan_archive_is(struct gasan_bytes file);

/* Reads the next member, from `*position` (0 at first) on. Skips symbol and name tables. Returns false after the last
 * member. `path` is the archive's path; a thin archive's members are files whose paths are relative to it. */
bool gasan_archive_next(const char *path, struct gasan_bytes archive, size_t *position,
                        struct gasan_archive_member *member);

#endif
