/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/core/warn.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "gasan_rt/sanitizer/sanitizer.h"

void gasan_rt_warn(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  gasan_report_begin();
  gasan_printf("==%d==gasan: %s\n", (int)getpid(), text);
  gasan_report_end();
}

void gasan_rt_fatal(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  gasan_report_begin();
  gasan_printf("==%d==gasan: ERROR: %s\n", (int)getpid(), text);
  gasan_fail();
}
