/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/ptx_text.h"
#include "driver/strings.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool gasan_ptx_line_has(const char *line, const char *text) {
  return memmem(line, strcspn(line, "\n"), text, strlen(text)) != NULL;
}

bool gasan_ptx_is_runtime(const char *symbol) {
  symbol += strspn(symbol, "_");
  if (*symbol == 'Z') {
    symbol += 1 + (symbol[1] == 'L');
    while (isdigit((unsigned char)*symbol))
      symbol++;
    symbol += strspn(symbol, "_");
  }
  return gasan_strings_start(symbol, "gasan_");
}

const char *gasan_ptx_symbol(const char *kind, const char *line) {
  static const char *const linkages[] = {".visible ", ".weak "};
  for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
    if (gasan_strings_start(line, linkages[i]))
      line += strlen(linkages[i]);
  if (!gasan_strings_start(line, kind))
    return NULL;
  line += strlen(kind);
  line += strspn(line, " \t");
  if (*line == '(')
    line += strcspn(line, ")\n");
  return line + strspn(line, ") \t");
}

const char *gasan_ptx_after_line(const char *line) {
  line += strcspn(line, "\n");
  return line + (*line == '\n');
}

const char *gasan_ptx_closing(const char *text) {
  unsigned depth = 0;
  for (; (text = strpbrk(text, "{}\"/")); text++) {
    if (gasan_strings_start(text, "//")) {
      text += strcspn(text, "\n");
    } else if (gasan_strings_start(text, "/*")) {
      text = strstr(text + 2, "*/");
      if (!text)
        return NULL;
      text++;
    } else if (*text == '"') {
      text += 1 + strcspn(text + 1, "\"\n");
    } else if (*text == '{') {
      depth++;
    } else if (*text == '}' && --depth == 0) {
      return text;
    }
    if (!*text)
      return NULL;
  }
  return NULL;
}
