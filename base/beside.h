/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths of gasan's libraries, which lie in one folder. */
#ifndef GASAN_BASE_BESIDE_H
#define GASAN_BASE_BESIDE_H

#include <dlfcn.h> /* _GNU_SOURCE must be defined before any header */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Writes the path of the file `name` in the folder of the library that contains `address`. Returns false if the library
 * is not known or the path is too long. */
static inline bool gasan_path_beside(const void *address, const char *name, char *path, size_t size) {
  Dl_info own;
  if (!dladdr(address, &own) || !own.dli_fname)
    return false;
  const char *slash = strrchr(own.dli_fname, '/');
  const int folder = slash ? (int)(slash + 1 - own.dli_fname) : 0;
  return snprintf(path, size, "%.*s%s", folder, own.dli_fname, name) < (int)size;
}

#endif
