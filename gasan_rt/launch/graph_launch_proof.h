/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launch proof for executable graphs. Any thread; CUDA allows only one thread at a time to use an executable.
 *
 * The program's own executable, which the program updates and queries, keeps the program's kernels with all checks.
 * Beside it are a clone of its graph, whose nodes have the program's latest parameters, and a second executable made of
 * the clone, the *proven executable*. Its nodes run variants where checks are proven, and it is launched in place of
 * the program's executable.
 *
 * Proofs hold until memory is allocated or freed, or the program updates the executable. Until then a launch costs one
 * comparison, whatever the number of nodes. Afterwards the bounds of all pointers that the proofs used are looked up
 * again; if they are the same, the proofs still hold.
 *
 * If anything fails (CUDA refuses to clone the graph, say), the program's executable is launched. */
#ifndef GASAN_RT_GRAPH_LAUNCH_PROOF_H
#define GASAN_RT_GRAPH_LAUNCH_PROOF_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

struct gasan_rt_device;

/* Call when the executable was made of the graph, or updated from it. The graph may be destroyed at once. */
void gasan_graph_launch_proof_made(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraph_t graph);
void gasan_graph_launch_proof_updated(cudaGraphExec_t exec, cudaGraph_t graph);
/* Call before the executable is destroyed. */
void gasan_graph_launch_proof_forget(cudaGraphExec_t exec);

/* Follows a change of a node that the program makes in the executable only. `in_graph` makes the same change in the
 * clone's node, `in_exec` in the proven executable's, if there is one. Both are calls of CUDA's functions, with
 * change.node and change.exec. */
struct gasan_graph_change {
  struct gasan_graph_launch_proof *proof;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  cudaError_t waiting;
};
#define GASAN_GRAPH_FOLLOW(changed_exec, changed_node, in_graph, in_exec)                                              \
  do {                                                                                                                 \
    struct gasan_graph_change change;                                                                                  \
    if (gasan_graph_launch_proof_follow((changed_exec), (changed_node), &change))                                      \
      gasan_graph_launch_proof_followed(&change,                                                                       \
                                        (in_graph) == cudaSuccess && (!change.exec || (in_exec) == cudaSuccess));      \
  } while (0)
/* Returns false if there is nothing to follow. Else `followed` must be called; `done` false ends the proving of the
 * executable. */
bool gasan_graph_launch_proof_follow(cudaGraphExec_t exec, cudaGraphNode_t node, struct gasan_graph_change *change);
void gasan_graph_launch_proof_followed(const struct gasan_graph_change *change, bool done);
/* The same for a kernel node, which is then proven again. */
void gasan_graph_launch_proof_changed_kernel(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params);
/* Call when the program has changed the executable in a way that the proven executable cannot follow. */
void gasan_graph_launch_proof_lost(cudaGraphExec_t exec);
/* Call when the program has enabled or disabled a node. */
void gasan_graph_launch_proof_switched(cudaGraphExec_t exec);

/* Returns the executable to launch when the program launches `exec` into the stream. `stream` is cudaStreamPerThread,
 * and not NULL, for a thread's own stream. *looks_up: the devices' tables must be up to date. */
cudaGraphExec_t gasan_graph_launch_proof_choose(struct gasan_rt_device *state, cudaGraphExec_t exec,
                                                cudaStream_t stream, bool *looks_up);
/* Call when CUDA has refused to launch the proven executable. */
void gasan_graph_launch_proof_refused(cudaGraphExec_t exec);

/* For print_stats: add the runs of live executables to the counts of launch_proof.c; print. */
void gasan_graph_launch_proof_count(void);
void gasan_graph_launch_proof_print_stats(void);

#endif
