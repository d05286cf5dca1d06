/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launch proof for executable graphs. Any thread; CUDA allows only one at a time to use the same executable.
 *
 * The program's own executable, which it updates and asks about, keeps the kernels that the program gave it, with all
 * checks. Beside it we have a clone of the graph that it was made of, in which each node has the program's latest
 * parameters, and a second executable made of that clone, the *proven executable*. There, nodes whose checks are proven
 * run a variant instead, and a launch of the program's executable launches it in place of its own. What was proven
 * stays so until memory is allocated or freed, or the program updates the executable; until then a launch costs one
 * comparison, however many nodes there are. Behind it the bounds of all pointers that the proofs asked for are looked
 * up: if these are the same, so are the proofs.
 *
 * Whenever anything cannot be had (CUDA refuses to clone the graph, say), the program's executable is launched. */
#ifndef GASAN_RT_GRAPH_LAUNCH_PROOF_H
#define GASAN_RT_GRAPH_LAUNCH_PROOF_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

struct gasan_rt_device;

/* The executable was made of the graph, which may end at once, or has got the parameters of another one. */
void gasan_graph_launch_proof_made(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraph_t graph);
void gasan_graph_launch_proof_updated(cudaGraphExec_t exec, cudaGraph_t graph);
/* The executable is about to be destroyed. */
void gasan_graph_launch_proof_forget(cudaGraphExec_t exec);

/* The program has changed one of its nodes, in the executable only: the same is to be done to the clone's node
 * (in_graph) and to that of the proven executable, if there is one (in_exec). Both are calls of the real functions,
 * with change.node and change.exec. */
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
/* False: there is nothing to do. Else `followed` must be called; `done` false: the executable is not proven any more.
 */
bool gasan_graph_launch_proof_follow(cudaGraphExec_t exec, cudaGraphNode_t node, struct gasan_graph_change *change);
void gasan_graph_launch_proof_followed(const struct gasan_graph_change *change, bool done);
/* The same for a kernel node, which is proven anew. */
void gasan_graph_launch_proof_changed_kernel(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params);
/* The program has changed the executable in another way, which the proven executable cannot follow. */
void gasan_graph_launch_proof_lost(cudaGraphExec_t exec);
/* The program has switched one of its nodes on or off. */
void gasan_graph_launch_proof_switched(cudaGraphExec_t exec);

/* Which executable is to be launched into the stream (not NULL where that means a thread's own) when the program
 * launches `exec`. *looks_up: the devices' tables have to be up to date. */
cudaGraphExec_t gasan_graph_launch_proof_choose(struct gasan_rt_device *state, cudaGraphExec_t exec,
                                                cudaStream_t stream, bool *looks_up);
/* CUDA has refused to launch the proven executable. */
void gasan_graph_launch_proof_refused(cudaGraphExec_t exec);

/* For print_stats: adds what live executables have run to what launch_proof.c counts; then prints. */
void gasan_graph_launch_proof_count(void);
void gasan_graph_launch_proof_print_stats(void);

#endif
