/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "document/escape.h"

#include <stdbool.h>
#include <string.h>

#include "document/json.h"

/* XML 1.0 has all characters but most control characters, U+FFFE and U+FFFF. */
static bool is_of_xml(const char *text, size_t size) {
  return size && ((unsigned char)*text >= 0x20 || *text == '\n' || *text == '\t') &&
         !(size == 3 && memcmp(text, "\xef\xbf", 2) == 0 && (unsigned char)text[2] >= 0xbe);
}

void gasan_escape(struct gasan_text *out, const char *text) {
  for (size_t left = strlen(text), size; left; text += size, left -= size) {
    size = gasan_json_character(text, left);
    if (!is_of_xml(text, size))
      gasan_text_print(out, "\xef\xbf\xbd");
    else if (strchr("&<>\"", *text))
      gasan_text_print(out, "%s", *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&quot;");
    else
      gasan_text_add(out, text, size);
    size = size ? size : 1;
  }
}
