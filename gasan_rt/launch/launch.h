/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches of kernels: what must be ready before a kernel starts, and which variant of it runs.
 *
 * Any thread. A launch holds the gate (launch_log.h) from its number to the return of CUDA's call. */
#ifndef GASAN_RT_LAUNCH_H
#define GASAN_RT_LAUNCH_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/launch/launch_proof.h"

/* A call that launches a kernel. */
struct gasan_launch_call {
  const char *api;      /* lives for ever */
  const void *function; /* what the program launches by; NULL: what no module has registered */
  struct gasan_launch_shape shape;
  cudaStream_t stream; /* as in the call; shape.stream is what it means */
  bool plain;          /* nothing but a kernel and its shape is asked for */
  /* Makes the call, with another function and other arguments. */
  cudaError_t (*make)(const struct gasan_launch_call *call, const void *function, void **arguments);
  const void *context; /* for make */
};

/* Makes it, with the variant that fits if there is one. */
cudaError_t gasan_launch_make(const struct gasan_launch_call *call);

/* Launches of kernels that no registered module or no instrumented module has. */
uint64_t gasan_launch_unchecked(void);

#endif
