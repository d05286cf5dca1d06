/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Splits the values of nvcc's options. */
#ifndef GASAN_DRIVER_NVCC_LISTS_H
#define GASAN_DRIVER_NVCC_LISTS_H

#include "driver/strings.h"

/* Returns the parts between commas. A comma inside quotes, or after a backslash, is part of the text. Quotes stay in
 * the text, backslashes are removed. */
struct gasan_strings gasan_nvcc_split(const char *list);

#endif
