/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/identity.h"
#include "driver/strings.h"

#include <string.h>

#define FNV_OFFSET (((unsigned __int128)0x6c62272e07bb0142ull << 64) | 0x62b821756295c58dull)
#define FNV_PRIME (((unsigned __int128)0x0000000001000000ull << 64) | 0x000000000000013bull)

struct gasan_identity gasan_identity_start(void) {
  struct gasan_identity identity = {FNV_OFFSET};
  return identity;
}

void gasan_identity_add(struct gasan_identity *identity, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++)
    identity->state = (identity->state ^ bytes[i]) * FNV_PRIME;
}

void gasan_identity_add_text(struct gasan_identity *identity, const char *text) {
  gasan_identity_add(identity, text, strlen(text) + 1);
}

const char *gasan_identity_text(const struct gasan_identity *identity, int digits) {
  char *text = gasan_strings_format("%016llx%016llx", (unsigned long long)(identity->state >> 64),
                                    (unsigned long long)identity->state);
  text[digits] = '\0';
  return text;
}
