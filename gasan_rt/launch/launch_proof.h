/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which launches run which variant of a kernel. Any thread.
 *
 * Launch proof: fast and bounded have no checks, or fewer, where those are proven for the launch.
 *
 * Wide: where the kernel itself was compiled with few registers so that any block of the program's fits
 * (driver/registers.h), the variant that has them all runs wherever it fits.
 *
 * `Full`, the kernel under its own name, has every check and runs wherever there is a doubt: tagged pointers, a search
 * in place of the page map, strict_temporal (then wide, if it can be), a kernel whose driver handle the program has,
 * and what CUDA has refused. A launch that is captured becomes a node with full, for which graph_launch_proof.c chooses
 * a variant when its graph is launched. */
#ifndef GASAN_RT_LAUNCH_PROOF_H
#define GASAN_RT_LAUNCH_PROOF_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/registry.h"
#include "proof/proof.h"

#define GASAN_LAUNCH_PROOF_ARGUMENTS 256u /* a kernel with more is launched with all checks */

/* A launch of a variant: what CUDA's function is called with in place of the program's. */
struct gasan_variant_launch {
  struct gasan_kernel_proof *fast;
  enum gasan_proof_variant variant;
  bool looks_up; /* the device's tables have to be up to date */
  int waiting;   /* the error that the program has not asked for yet */
  const void *function;
  void **passed; /* the program's arguments, or */
  void *arguments[GASAN_LAUNCH_PROOF_ARGUMENTS];
  uint64_t hidden[GASAN_LAUNCH_PROOF_ARGUMENTS];
  uint32_t hidden_count;
};

struct gasan_launch_shape {
  const uint32_t *grid, *block;
  uint64_t dynamic_shared;
  void **arguments; /* the program's */
  void *stream;     /* not NULL where that means a thread's own */
  bool is_node;     /* of a graph, whose launches are counted by gasan_launch_proof_count_in_graph */
};

/* Is there a variant for this launch of a kernel of a prepared module? Then *launch is filled in. */
bool gasan_launch_proof_choose(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                               const struct gasan_launch_shape *shape, struct gasan_variant_launch *launch);
/* Launches it as cudaLaunchKernel does. False: it is not launched; the next two are to be tried. */
bool gasan_launch_proof_launch(const struct gasan_variant_launch *launch, struct gasan_rt_device *state,
                               const struct gasan_launch_shape *shape);
/* Before an attempt by CUDA's own call. */
void gasan_launch_proof_attempt(struct gasan_variant_launch *launch);
/* After the attempt; false: CUDA has refused it (error is not cudaSuccess), and the kernel itself is to be launched, so
 * that the error, if there is one, is the program's own. */
bool gasan_launch_proof_attempted(const struct gasan_variant_launch *launch, int error);

/* May launches of the kernel run a variant? */
bool gasan_launch_proof_has_variants(const struct gasan_kernel *kernel, struct gasan_rt_device *state);
/* The pointers whose bounds decide what is proven for the launch, apart from what its stream and
 * gasan_launch_proof_epoch say: as long as they have the same bounds, it is the same. False: there are more than
 * `room`. */
bool gasan_launch_proof_roots(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                              const struct gasan_launch_shape *shape, uint64_t *pointers, uint32_t room,
                              uint32_t *count);
/* Another number whenever what was proven is to be proven anew, though no memory was allocated or freed. */
uint64_t gasan_launch_proof_epoch(void);
/* Launches of graphs have run this variant of the kernel so often. */
void gasan_launch_proof_count_in_graph(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                                       enum gasan_proof_variant variant, uint64_t times);

/* What the runtime API's launches of this host function with so many threads a block run if nothing is proven, on the
 * current device: the handle of the wide variant, or NULL for the kernel itself. */
const void *gasan_launch_proof_wide(const void *host_function, uint64_t threads);

/* Is this such a handle, and so a kernel with our checks? */
bool gasan_launch_proof_is_wide(const void *function);

/* The program has a handle by which it can launch the kernel, and set its attributes, past us. */
void gasan_launch_proof_hand_out(const void *host_function);

/* The program has given its kernel an attribute (enum cudaFuncAttribute) on the current device: the variants have it,
 * too. One that cannot have it is not used there any more. */
void gasan_launch_proof_mirror(const void *host_function, enum cudaFuncAttribute attribute, int value);

/* For print_stats, between report_begin and report_end. */
void gasan_launch_proof_print_stats(void);

#endif
