/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Status codes: how a function says that the environment failed it (DESIGN: a status is never a user's bug, a CHECK is
 * a bug of ours, a report is a bug of the user's).
 *
 * Values are passed by value; a status that came from the CUDA driver keeps its CUresult in driver_error, 0 otherwise.
 */
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

/* A status for the CUresult `driver_error`, which must not be 0. */
static inline struct gasan_status gasan_status_driver(enum gasan_status_code code, int driver_error) {
  struct gasan_status status = {code, driver_error};
  return status;
}

/* A sentence for a person, static storage. */
const char *gasan_status_text(struct gasan_status status);

#ifdef __cplusplus
}
#endif
#endif
