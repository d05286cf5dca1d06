/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that include/gasan/gasan.h and libgasan_nvtx.so look for. The runtime, which has them, is in no scope
 * that the program sees. */
#include <stddef.h>

#include "base/export.h"
#include "gasan_preload/find.h"
#include "include/gasan/gasan.h"

#define GASAN_REGION_CALL(name, parameters, arguments)                                                                 \
  GASAN_EXPORT int __gasan_##name parameters;                                                                          \
  GASAN_EXPORT int __gasan_##name parameters {                                                                         \
    static int(*_Atomic target_) parameters;                                                                           \
    if (!target_)                                                                                                      \
      target_ = (int(*) parameters)gasan_preload_own("__gasan_" #name);                                                \
    return target_ ? target_ arguments : GASAN_RESULT_NO_RUNTIME;                                                      \
  }
#include "base/region_calls.inc"
