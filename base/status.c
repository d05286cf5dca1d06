/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/status.h"

static const char *const status_texts[] = {
#define GASAN_STATUS(code, text) text,
#include "base/status.inc"
#undef GASAN_STATUS
};

const char *gasan_status_text(struct gasan_status status) {
  return status_texts[status.code];
}
