/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The proof of one executable graph (graph_launch_proof.h), shared by graph_launch_proof.c and graph_proof_*.c. All
 * functions need the proof's lock. */
#ifndef GASAN_RT_GRAPH_PROOF_H
#define GASAN_RT_GRAPH_PROOF_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/launch_proof.h"

/* A kernel node of the clone, and the variant that the proven executable runs for this node. */
struct gasan_graph_proof_node {
  cudaGraphNode_t handle;
  const struct gasan_kernel *kernel;  /* NULL: the program has set it to a kernel that is not registered */
  struct cudaKernelNodeParams params; /* the program's; the clone owns the arguments */
  bool changed;                       /* the proven executable still has older parameters */
  bool refused;                       /* CUDA has refused a variant here */
  enum gasan_proof_variant variant;   /* in the proven executable */
  bool looks_up;
  uint32_t hidden_count;
  uint64_t *hidden; /* the variant's own arguments */
};

/* A pointer whose bounds proofs used, and those bounds. */
struct gasan_graph_proof_root {
  uint64_t pointer;
  struct gasan_bounds bounds;
};

struct gasan_graph_launch_proof {
  cudaGraphExec_t exec; /* the program's */
  struct gasan_rt_device *state;
  pthread_mutex_t lock;                 /* guards all members below */
  cudaGraph_t clone;                    /* NULL: no node can run a variant */
  cudaGraphExec_t proven_exec;          /* NULL: no node runs one */
  struct gasan_graph_proof_node *nodes; /* by handle; without a clone, only their kernels */
  uint32_t count, room;
  uint32_t variants, proven; /* nodes that run a variant, and nodes that run one without checks */
  bool any_changed;
  bool switched; /* the program may have disabled nodes, also across updates; a clone's nodes are enabled */
  bool others;   /* the graph has kernels that are not among the nodes */
  bool looks_up; /* the proven executable reads the device's tables */
  /* The roots of all nodes, and perhaps roots of the nodes' earlier parameters. */
  struct gasan_graph_proof_root *roots;
  uint32_t root_count, root_room, most_roots;
  bool roots_known; /* all roots are there, with the bounds that the proofs used */
  /* The state of the process in which the proofs are valid. */
  bool valid, stream_mattered;
  uint64_t bounds_epoch, launches_epoch;
  cudaStream_t stream;         /* of the latest launch */
  cudaGraphExec_t launched;    /* in it; NULL: there was none */
  uint64_t since_update;       /* launches */
  uint64_t runs, variant_runs; /* that launch_proof.c does not count yet */
  struct gasan_map_entry by_exec;
};

/* For print_stats. */
struct gasan_graph_proof_counters {
  _Atomic uint64_t launches, proven_launches, proofs, changes, refusals, lost;
};
extern struct gasan_graph_proof_counters gasan_graph_proof_counters;

static inline bool gasan_graph_proof_succeeds(cudaError_t error, cudaError_t waiting) {
  if (error != cudaSuccess)
    gasan_forget_error(waiting);
  return error == cudaSuccess;
}

/* Evaluates to true if the call of a CUDA function succeeds. Hides the call's error from the program. */
#define GASAN_GRAPH_TRY(call)                                                                                          \
  ({                                                                                                                   \
    cudaError_t waiting_ = gasan_waiting_error();                                                                      \
    gasan_graph_proof_succeeds((call), waiting_);                                                                      \
  })

/* graph_proof_clone.c */

/* Clones the graph if may_clone is true and CUDA can clone it, and lists the kernel nodes: those of the clone or,
 * without a clone, of the graph. */
void gasan_graph_proof_survey(struct gasan_graph_launch_proof *proof, cudaGraph_t graph, bool may_clone);
/* Returns false for executables that kernels launch, and for executables of another context; these are never proven.
 * Sets *flags to the flags of the instantiation. */
bool gasan_graph_proof_takes(cudaGraphExec_t exec, unsigned long long *flags);
/* Returns the kernel node. NULL: the clone has no such kernel node, or the node cannot run a variant. */
struct gasan_graph_proof_node *gasan_graph_proof_find_node(struct gasan_graph_launch_proof *proof,
                                                           cudaGraphNode_t handle);
/* Instantiates the proven executable, with the program's parameters, unless it exists. Returns false if CUDA
 * refuses. */
bool gasan_graph_proof_instantiate(struct gasan_graph_launch_proof *proof);
/* Adds the runs of the nodes' present variants to the counts of launch_proof.c. Must be called before a variant
 * changes. */
void gasan_graph_proof_count_runs(struct gasan_graph_launch_proof *proof);
/* drop_executable destroys the proven executable. drop_clone destroys the clone, too. drop_nodes forgets the nodes;
 * only a survey may follow. */
void gasan_graph_proof_drop_executable(struct gasan_graph_launch_proof *proof);
void gasan_graph_proof_drop_clone(struct gasan_graph_launch_proof *proof);
void gasan_graph_proof_drop_nodes(struct gasan_graph_launch_proof *proof);
/* Ends the proving: from now on, the program's executable is launched. */
void gasan_graph_proof_stop(struct gasan_graph_launch_proof *proof);

/* graph_proof_nodes.c */

/* Chooses a variant for all nodes, or only for the changed ones, and makes the proven executable run it. */
void gasan_graph_proof_prove(struct gasan_graph_launch_proof *proof, cudaStream_t stream, bool all);
/* Fills in *shape, which points into grid and block, for a launch of the node. */
void gasan_graph_proof_shape(const struct gasan_graph_proof_node *node, cudaStream_t stream, uint32_t grid[3],
                             uint32_t block[3], struct gasan_launch_shape *shape);

/* graph_proof_roots.c */

/* Lists the roots of all nodes with their bounds, or adds the roots of the changed nodes. Must be called before prove.
 * Returns false if some roots are not known. */
bool gasan_graph_proof_find_roots(struct gasan_graph_launch_proof *proof, cudaStream_t stream, bool all);
/* Returns true if all roots are known and have the same bounds as before, although memory was allocated or freed. */
bool gasan_graph_proof_roots_are_same(const struct gasan_graph_launch_proof *proof);

#endif
