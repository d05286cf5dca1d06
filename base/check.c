/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void gasan_check_failed(const char *file, int line, const char *condition) {
  char text[512];
  int length = snprintf(text, sizeof text,
                        "==%d==gasan: CHECK failed: %s:%d \"%s\"\n"
                        "This is a bug in gasan, not in your program; please report it with the command you ran.\n",
                        (int)getpid(), file, line, condition);
  if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0) {
  }
  abort();
}
