/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/nvcc/lists.h"

#include <string.h>

struct gasan_strings gasan_nvcc_split(const char *list) {
  struct gasan_strings parts = {0};
  while (*list) {
    char *part = gasan_strings_allocate(strlen(list) + 1), *end = part, quote = 0;
    for (; *list && (quote || *list != ','); list++) {
      if (quote ? *list == quote : *list == '"' || *list == '\'')
        quote = quote ? 0 : *list;
      if (*list == '\\' && list[1] == ',')
        list++;
      *end++ = *list;
    }
    *end = '\0';
    list += *list == ',';
    if (*part)
      gasan_strings_push(&parts, part);
  }
  return parts;
}
