/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers the warp operations that take a mask. Sites, reports and the CPU device use the same numbers. */
#ifndef GASAN_BASE_WARP_H
#define GASAN_BASE_WARP_H

enum gasan_warp_operation {
#define GASAN_WARP_OPERATION(id, name) GASAN_WARP_##id,
#include "base/warp.inc"
#undef GASAN_WARP_OPERATION
  GASAN_WARP_OPERATIONS
};

/* Returns the operation's name in the program's source, a static string. Any number is allowed. */
static inline const char *gasan_warp_operation_name(unsigned operation) {
  static const char *const names[] = {
#define GASAN_WARP_OPERATION(id, name) name,
#include "base/warp.inc"
#undef GASAN_WARP_OPERATION
  };
  return operation < GASAN_WARP_OPERATIONS ? names[operation] : "a warp operation";
}

#endif
