/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes content hashes (FNV-1a, 128 bits), so that equal builds give equal bytes. */
#ifndef GASAN_DRIVER_IDENTITY_H
#define GASAN_DRIVER_IDENTITY_H

#include <stddef.h>

struct gasan_identity {
  unsigned __int128 state;
};

struct gasan_identity gasan_identity_start(void);
void gasan_identity_add(struct gasan_identity *identity, const void *data, size_t size);
/* Adds the text with its NUL, so that "ab","c" and "a","bc" differ. */
void gasan_identity_add_text(struct gasan_identity *identity, const char *text);
/* Returns `digits` hexadecimal digits, at most 32. */
const char *gasan_identity_text(const struct gasan_identity *identity, int digits);

#endif
