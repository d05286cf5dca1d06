/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expands response files: @file on a command line stands for the arguments in that file, quoted as GCC does. */
#ifndef GASAN_DRIVER_RESPONSE_H
#define GASAN_DRIVER_RESPONSE_H

#include "driver/strings.h"

/* Returns the arguments with response files replaced by their contents, nested ones too. An @file that does not
 * exist stays, as in clang. */
struct gasan_strings gasan_response_expand(int count, char **arguments);

/* Returns the words of a text. Spaces separate words; quotes and backslashes are removed, as in a shell. */
struct gasan_strings gasan_response_words(const char *text);

/* Returns the arguments of a command as the text of a response file. */
char *gasan_response_quote(const struct gasan_strings *arguments);

#endif
