/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/calls/driver_calls.h"

/* Replaces functions that are missing because there is no driver, or an old one. */
static CUresult not_there(void) {
  return CUDA_ERROR_NO_DEVICE;
}

void *gasan_driver_target(const char *symbol) {
  void *target = gasan_cuda_driver_symbol(symbol);
  return target ? target : (void *)not_there;
}
