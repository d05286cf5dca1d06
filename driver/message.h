/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the driver's own messages, in clang's form: "gasan-clang++: error: ...". */
#ifndef GASAN_DRIVER_MESSAGE_H
#define GASAN_DRIVER_MESSAGE_H

/* Sets the name that begins each message. Keeps the pointer. */
void gasan_message_set_program(const char *name);
void gasan_message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void gasan_message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void gasan_message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints an error, removes the temporary files and ends the process with status 1. */
void gasan_message_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
