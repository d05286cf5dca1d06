/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches kernels: uploads the metadata that the checks need, and chooses the kernel's variant.
 *
 * Any thread. A launch holds the gate (launch_log.h) from the moment it gets its number until CUDA's call returns.
 *
 * The folder launch/ registers modules, launches kernels and graphs, proves launches, and collects and describes
 * faults. It is called by calls/ and, through hooks, by core/. Each header names its locks; docs/internals/locks.md
 * gives the order of all locks. */
#ifndef GASAN_RT_LAUNCH_H
#define GASAN_RT_LAUNCH_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/launch/launch_proof.h"

/* A call that launches a kernel. */
struct gasan_launch_call {
  const char *api;      /* never freed */
  const void *function; /* the program's host function; NULL: no module has registered it */
  struct gasan_launch_shape shape;
  cudaStream_t stream; /* the call's argument; shape.stream is the stream that it stands for */
  bool plain;          /* the call has no attributes */
  /* Makes the call with the given function and arguments. */
  cudaError_t (*make)(const struct gasan_launch_call *call, const void *function, void **arguments);
  const void *context; /* for make */
  const char *name;    /* without a function: the kernel's device symbol, never freed; NULL: not known */
  bool hides_values;   /* the program passes the arguments in a form other than shape.arguments */
};

/* Makes the call, with a variant of the kernel if one fits. Returns the call's error, or the error with which the
 * launch must fail because the checks' metadata could not be uploaded. */
cudaError_t gasan_launch_make(const struct gasan_launch_call *call);

/* Returns the number of launches of kernels without checks, or of no registered module. */
uint64_t gasan_launch_unchecked(void);

#endif
