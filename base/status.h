/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A status: success, or a failure of the environment. A bug in gasan is a GASAN_CHECK, and a bug in the user's program
 * is a report; neither is ever a status.
 *
 * A status is passed by value. driver_error is the CUresult of a failed call of the CUDA driver, else 0. */
#ifndef GASAN_BASE_STATUS_H
#define GASAN_BASE_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gasan_status_code {
#define GASAN_STATUS(code, text) GASAN_##code,
#include "base/status.inc"
#undef GASAN_STATUS
};

struct gasan_status {
  enum gasan_status_code code;
  int driver_error;
};

static inline bool gasan_ok(struct gasan_status status) {
  return status.code == GASAN_OK;
}

static inline struct gasan_status gasan_status_make(enum gasan_status_code code) {
  struct gasan_status status = {code, 0};
  return status;
}

/* Returns a status for the CUresult `driver_error`, which must not be 0. */
static inline struct gasan_status gasan_status_driver(enum gasan_status_code code, int driver_error) {
  struct gasan_status status = {code, driver_error};
  return status;
}

/* Returns a text for users, a static string. */
const char *gasan_status_text(struct gasan_status status);

#ifdef __cplusplus
}
#endif
#endif
