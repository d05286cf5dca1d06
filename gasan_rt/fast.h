/* Launch-time proof: which launches run a kernel's fast variant, without the checks that are proven for them. Any thread.
 *
 * `Full`, the kernel under its own name, has every check and runs wherever there is a doubt: a launch that is captured and may be
 * made later, tagged pointers, a search in place of the page map, strict_temporal, a kernel whose driver handle the program has. */
#ifndef GASAN_RT_FAST_H
#define GASAN_RT_FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/registry.h"
#include "gasan_rt/runtime.h"
#include "proof/proof.h"

#define GASAN_FAST_ARGUMENTS 256u /* a kernel with more is launched with all checks */

/* A launch of the fast variant: what CUDA's function is called with in place of the program's. */
struct gasan_fast_launch {
  struct gasan_fast *fast;
  enum gasan_proof_variant variant;
  bool looks_up; /* the device's tables have to be up to date */
  int waiting; /* the error that the program has not asked for yet */
  const void *function;
  void *arguments[GASAN_FAST_ARGUMENTS];
  uint64_t hidden[GASAN_FAST_ARGUMENTS];
};

struct gasan_fast_shape {
  const uint32_t *grid, *block;
  uint64_t dynamic_shared;
  void **arguments; /* the program's */
  void *stream;     /* not NULL where that means a thread's own */
};

/* Is everything proven for this launch of a kernel of a prepared module? Then *launch is filled in. */
bool gasan_fast_prove(const struct gasan_kernel *kernel, struct gasan_rt_device *state, const struct gasan_fast_shape *shape,
                      struct gasan_fast_launch *launch);
/* Launches it as cudaLaunchKernel does. False: it is not launched; the next two are to be tried. */
bool gasan_fast_launch_now(const struct gasan_fast_launch *launch, struct gasan_rt_device *state, const struct gasan_fast_shape *shape);
/* Before an attempt by CUDA's own call. */
void gasan_fast_launches(struct gasan_fast_launch *launch);
/* After the attempt; false: CUDA has refused it (error is not cudaSuccess), and the kernel itself is to be launched, so that the
 * error, if there is one, is the program's own. */
bool gasan_fast_launched(const struct gasan_fast_launch *launch, int error);
/* A launch of the kernel became a node of a graph, which may run when its memory is freed. */
void gasan_fast_captured(const struct gasan_kernel *kernel, struct gasan_rt_device *state);

/* The program has a handle by which it can launch the kernel, and set its attributes, past us. */
void gasan_fast_hand_out(const void *host_function);

/* For print_stats, between report_begin and report_end. */
void gasan_fast_print_stats(void);

#endif
