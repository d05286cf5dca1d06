/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/file.h"
#include "driver/message.h"
#include "driver/strings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool gasan_file_try_read(const char *path, struct gasan_bytes *contents) {
  struct stat status;
  if (stat(path, &status) || !S_ISREG(status.st_mode))
    return false;
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  size_t size = (size_t)status.st_size;
  unsigned char *data = gasan_strings_allocate(size + 1);
  bool complete = fread(data, 1, size, file) == size;
  fclose(file);
  contents->data = data;
  contents->size = size;
  return complete;
}

struct gasan_bytes gasan_file_read(const char *path) {
  struct gasan_bytes contents;
  if (!gasan_file_try_read(path, &contents))
    gasan_message_fatal("cannot read '%s': %s", path, strerror(errno));
  return contents;
}

static void store(const char *path, const char *mode, const void *data, size_t size) {
  FILE *file = fopen(path, mode);
  if (!file)
    gasan_message_fatal("cannot write '%s': %s", path, strerror(errno));
  bool complete = fwrite(data, 1, size, file) == size;
  if (fclose(file) || !complete)
    gasan_message_fatal("cannot write '%s': %s", path, strerror(errno));
}

void gasan_file_write(const char *path, const void *data, size_t size) {
  store(path, "wb", data, size);
}

void gasan_file_append(const char *path, const void *data, size_t size) {
  store(path, "ab", data, size);
}
