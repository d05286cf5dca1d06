/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Applies the launch proof to executable graphs. Any thread; CUDA allows only one thread at a time to use an
 * executable. Two kinds of lock: `lock` guards the table of executables, and each proof's lock guards the proof
 * (graph_proof.h).
 *
 * The program's own executable, which the program updates and queries, runs the program's kernels with all checks. In
 * addition, there are a clone of its graph, whose nodes have the program's latest parameters, and a second executable
 * that is instantiated from the clone, the *proven executable*. Its nodes run variants where checks are proven. It is
 * launched in place of the program's executable.
 *
 * Proofs hold until memory is allocated or freed, or until the program updates the executable. Until then a launch
 * costs one comparison, whatever the number of nodes. After an allocation or a free, the bounds of all pointers that
 * the proofs used are looked up again; if they are the same, the proofs still hold.
 *
 * If a step fails (for example, CUDA refuses to clone the graph), the program's executable is launched. */
#ifndef GASAN_RT_GRAPH_LAUNCH_PROOF_H
#define GASAN_RT_GRAPH_LAUNCH_PROOF_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

struct gasan_rt_device;

/* Must be called when the executable was instantiated from the graph, or updated from it. The graph may be destroyed at
 * once. */
void gasan_graph_launch_proof_made(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraph_t graph);
void gasan_graph_launch_proof_updated(cudaGraphExec_t exec, cudaGraph_t graph);
/* Must be called before the executable is destroyed. */
void gasan_graph_launch_proof_forget(cudaGraphExec_t exec);

/* A change of a node that the program makes in the executable only. GASAN_GRAPH_FOLLOW repeats the change. `in_graph`
 * is a call of CUDA that changes the clone's node, change.node. `in_exec` is a call that changes the proven executable,
 * change.exec, if there is one. */
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
/* Begins to follow a change. Returns false if there is nothing to follow. If it returns true, the proof is locked until
 * the caller calls `followed`. `done` is false if a call has failed, which ends the proving of the executable. */
bool gasan_graph_launch_proof_follow(cudaGraphExec_t exec, cudaGraphNode_t node, struct gasan_graph_change *change);
void gasan_graph_launch_proof_followed(const struct gasan_graph_change *change, bool done);
/* Follows a change of a kernel node, which is then proven again. */
void gasan_graph_launch_proof_changed_kernel(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params);
/* Must be called when the program has changed the executable in a way that the proven executable cannot follow. */
void gasan_graph_launch_proof_lost(cudaGraphExec_t exec);
/* Must be called when the program has enabled or disabled a node. */
void gasan_graph_launch_proof_switched(cudaGraphExec_t exec);

/* Returns the executable to launch when the program launches `exec` into the stream. For a thread's own default stream,
 * `stream` is cudaStreamPerThread and not NULL. Sets *looks_up to whether the devices' tables must be up to date. */
cudaGraphExec_t gasan_graph_launch_proof_choose(struct gasan_rt_device *state, cudaGraphExec_t exec,
                                                cudaStream_t stream, bool *looks_up);
/* Must be called when CUDA has refused to launch the proven executable. */
void gasan_graph_launch_proof_refused(cudaGraphExec_t exec);

/* For print_stats: add the runs of live executables to the counts of launch_proof.c; print. */
void gasan_graph_launch_proof_count(void);
void gasan_graph_launch_proof_print_stats(void);

#endif
