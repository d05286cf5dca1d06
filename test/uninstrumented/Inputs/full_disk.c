/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library for LD_PRELOAD: writing fails, as on a full disk, to files whose path contains FULL_DISK. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t write(int file, const void *bytes, size_t size) {
  static ssize_t (*next)(int, const void *, size_t);
  char name[64], path[4096];
  const char *full = getenv("FULL_DISK");
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(name, path, sizeof path - 1);
  if (length > 0)
    path[length] = 0;
  if (full && length > 0 && strstr(path, full)) {
    errno = ENOSPC;
    return -1;
  }
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "write");
  return next(file, bytes, size);
}
