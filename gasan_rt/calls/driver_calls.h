/* The driver API's functions that we intercept (driver_calls.inc), and libcuda's own. Any thread. */
#ifndef GASAN_RT_DRIVER_CALLS_H
#define GASAN_RT_DRIVER_CALLS_H

#include <stdatomic.h>

#include "device/cuda/cuda.h"

/* libcuda's function of this symbol; one that says that there is no device stands in for a missing one. */
void *gasan_driver_target(const char *symbol);

#define GASAN_DRIVER_REAL(function)              \
  ({                                             \
    static void *_Atomic real_;                  \
    void *target_ = atomic_load(&real_);         \
    if (!target_) {                              \
      target_ = gasan_driver_target(#function);  \
      atomic_store(&real_, target_);             \
    }                                            \
    (__typeof__(&function))target_;              \
  })

#endif
