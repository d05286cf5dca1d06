/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the variant of a kernel for each launch. Any thread; the locks are those of proof/proof.h and
 * variant_times.h.
 *
 * A proven or bounded variant has no checks, or fewer checks, where the launch proof shows that the omitted checks
 * cannot fail. A proven one may have a second form, the fitted form, with fewer registers, for blocks that do not fit
 * the first form.
 *
 * The wide variant has all checks and as many registers as ptxas wants. It exists if the kernel itself was compiled
 * with few registers so that each block size of the program fits, and has no bounded variant (driver/registers.h). It
 * runs wherever it fits.
 *
 * `Full`, the kernel under its own name, has all checks. It runs in each doubtful case: with tagged pointers, with a
 * search in place of the page map, with strict_temporal (unless the wide variant can run), for a kernel whose driver
 * handle the program has, and where CUDA has refused a variant. A captured launch becomes a node that runs full;
 * graph_launch_proof.c chooses the node's variant when the graph is launched. */
#ifndef GASAN_RT_LAUNCH_PROOF_H
#define GASAN_RT_LAUNCH_PROOF_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/launch/variant_times.h"
#include "proof/proof.h"

#define GASAN_LAUNCH_PROOF_ARGUMENTS 256u /* a kernel with more is launched with all checks */

/* A launch of a variant: the function and arguments for CUDA's call. */
struct gasan_variant_launch {
  struct gasan_kernel_proof *kernel_proof;
  enum gasan_proof_variant variant;
  bool looks_up; /* the device's tables must be up to date */
  int waiting;   /* the thread's last error before the launch, which the program has not read yet */
  const void *function;
  void **passed; /* for the call: the program's arguments, or `arguments` */
  void *arguments[GASAN_LAUNCH_PROOF_ARGUMENTS];
  uint64_t hidden[GASAN_LAUNCH_PROOF_ARGUMENTS];
  uint32_t hidden_count;
};

struct gasan_launch_shape {
  const uint32_t *grid, *block;
  uint64_t dynamic_shared;
  void **arguments; /* the program's */
  void *stream;     /* not NULL for a thread's own default stream */
  bool is_node;     /* a graph's node, whose launches gasan_launch_proof_count_in_graph counts */
};

/* Chooses the variant for a launch of a kernel of a prepared module, and fills in *launch. Returns false if the kernel
 * itself must be launched. Always sets *timed; its functions must be called around the launch, whatever is launched. */
bool gasan_launch_proof_choose(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                               const struct gasan_launch_shape *shape, struct gasan_variant_launch *launch,
                               struct gasan_timed_launch *timed);
/* Launches the variant in the way cudaLaunchKernel does. Returns false if the variant was not launched; the caller may
 * then use the next two functions. */
bool gasan_launch_proof_launch(const struct gasan_variant_launch *launch, struct gasan_rt_device *state,
                               const struct gasan_launch_shape *shape);
/* Must be called before the variant is launched by the program's own call. */
void gasan_launch_proof_attempt(struct gasan_variant_launch *launch);
/* Must be called after that call, with its error. Returns false if CUDA has refused the variant. The caller must then
 * launch the kernel itself, so that any error is the program's own. */
bool gasan_launch_proof_attempted(const struct gasan_variant_launch *launch, int error);

/* Returns the kernel's claims; NULL: it has none, or nothing can be proven on the device. */
const struct gasan_proof *gasan_launch_proof_of(const struct gasan_kernel *kernel, struct gasan_rt_device *state);

/* Returns true if launches of the kernel may run a variant. */
bool gasan_launch_proof_has_variants(const struct gasan_kernel *kernel, struct gasan_rt_device *state);
/* Lists the pointers whose bounds determine the proof of the launch. The result of a proof is the same as long as these
 * bounds, the stream and gasan_launch_proof_epoch are. Returns false if there are more than `room` pointers. */
bool gasan_launch_proof_roots(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                              const struct gasan_launch_shape *shape, uint64_t *pointers, uint32_t room,
                              uint32_t *count);
/* Returns a number that changes when proofs must be repeated for other reasons than an allocation or a free. */
uint64_t gasan_launch_proof_epoch(void);
/* Adds runs of the kernel's variant by graphs to the counts. */
void gasan_launch_proof_count_in_graph(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                                       enum gasan_proof_variant variant, uint64_t times);

/* Returns the handle of the kernel that launches of this host function run on the current device if nothing is proven,
 * for blocks of so many threads: that of the wide variant, or of a bounded variant that takes more registers than a
 * block of 1,024 threads allows, or NULL for the kernel itself. */
const void *gasan_launch_proof_unproven(const void *host_function, uint64_t threads);

/* Returns true if `function` is a handle of a wide variant. Its kernel then has checks. */
bool gasan_launch_proof_is_wide(const void *function);

/* Must be called when the program gets a handle by which it can launch the kernel, or set the kernel's attributes, by
 * calls that we do not intercept. */
void gasan_launch_proof_hand_out(const void *host_function);

/* Must be called when the program has set a kernel's attribute on the current device. Sets the attribute for the
 * variants, too. A variant that does not accept it is no longer used on this device. */
void gasan_launch_proof_mirror(const void *host_function, enum cudaFuncAttribute attribute, int value);

/* Prints the counts for print_stats. Must be called between report_begin and report_end. */
void gasan_launch_proof_print_stats(void);

#endif
