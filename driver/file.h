/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes whole files. A failure ends the process with a message: a compiler driver cannot continue without
 * its files. */
#ifndef GASAN_DRIVER_FILE_H
#define GASAN_DRIVER_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct gasan_bytes {
  const unsigned char *data;
  size_t size;
};

/* Reads a file. Returns false, and prints nothing, if there is no such regular file. An empty file has size 0 and a
 * valid `data`. The contents are followed by a NUL that `size` does not count. */
bool gasan_file_try_read(const char *path, struct gasan_bytes *contents);
struct gasan_bytes gasan_file_read(const char *path);
void gasan_file_write(const char *path, const void *data, size_t size);
void gasan_file_append(const char *path, const void *data, size_t size);

#endif
