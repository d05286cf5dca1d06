/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps the arguments of the latest launches that make checks, so that a report can explain an index.
 *
 * Any thread; one lock of its own, under which nothing is called. */
#ifndef GASAN_RT_LAUNCH_INPUTS_H
#define GASAN_RT_LAUNCH_INPUTS_H

#include "gasan_rt/launch/launch_proof.h"
#include "gasan_rt/launch/registry.h"
#include "proof/explain.h"

struct gasan_launch_inputs {
  uint32_t count; /* 0: nothing is kept */
  uint64_t dynamic_shared;
  uint64_t values[GASAN_PROOF_INPUTS];
};

/* Reads the inputs of a launch that has not been made yet. is_proven: the proven variant runs, of which few reports
 * need inputs. */
void gasan_launch_inputs_read(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                              const struct gasan_launch_shape *shape, bool is_proven,
                              struct gasan_launch_inputs *inputs);
/* Keeps them for the launch with this number on the device. */
void gasan_launch_inputs_keep(const struct gasan_rt_device *state, uint64_t number,
                              const struct gasan_launch_inputs *inputs);

/* Explains the record, which comes from this launch of the kernel. Returns false if it cannot. */
struct gasan_launch;
bool gasan_launch_inputs_explain(struct gasan_rt_device *state, const struct gasan_launch *launch,
                                 const struct gasan_record *record, struct gasan_proof_explanation *explanation);

#endif
