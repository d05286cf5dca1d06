/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *program_name = "gasan-clang";

void gasan_message_set_program(const char *name) {
  program_name = name;
}

static void print(const char *kind, const char *format, va_list arguments) {
  fprintf(stderr, "%s: %s: ", program_name, kind);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

void gasan_message_warning(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print("warning", format, arguments);
  va_end(arguments);
}

void gasan_message_note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print("note", format, arguments);
  va_end(arguments);
}

void gasan_message_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print("error", format, arguments);
  va_end(arguments);
}

void gasan_message_fatal(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print("error", format, arguments);
  va_end(arguments);
  exit(1);
}
