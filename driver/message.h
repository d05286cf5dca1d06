/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the driver itself has to say, in clang's form: "gasan-clang++: error: ...". */
#ifndef GASAN_DRIVER_MESSAGE_H
#define GASAN_DRIVER_MESSAGE_H

/* The name that stands before each message; static storage. */
void gasan_message_set_program(const char *name);
void gasan_message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void gasan_message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints an error and ends the process with 1; temporary files are removed. */
void gasan_message_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
