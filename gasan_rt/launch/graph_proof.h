/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The proof of one executable graph, shared by graph_launch_proof.c and graph_proof_*.c. The caller holds the proof's
 * lock. */
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

/* A kernel node of the clone, and the variant that the proven executable runs for it. */
struct gasan_graph_proof_node {
  cudaGraphNode_t handle;
  const struct gasan_kernel *kernel;  /* NULL: the program has set it to a kernel that is not registered */
  struct cudaKernelNodeParams params; /* the program's; the clone owns the arguments */
  bool changed;                       /* the proven executable still has the parameters before these */
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
  bool switched; /* nodes may be off, and stay off through updates; a clone's nodes are on */
  bool others;   /* the graph has kernels that are not among the nodes */
  bool looks_up; /* the proven executable reads the device's tables */
  /* Of all nodes, and perhaps of their earlier parameters. */
  struct gasan_graph_proof_root *roots;
  uint32_t root_count, root_room, most_roots;
  bool roots_known; /* all roots are there, with the bounds that the proofs used */
  /* The state of the process that the proofs are valid in. */
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

/* Evaluates the call of a CUDA function. True: it succeeded. The program does not see its error. */
#define GASAN_GRAPH_TRY(call)                                                                                          \
  ({                                                                                                                   \
    cudaError_t waiting_ = gasan_waiting_error();                                                                      \
    gasan_graph_proof_succeeds((call), waiting_);                                                                      \
  })

/* graph_proof_clone.c */

/* Clones the graph if may_clone and if CUDA can, and lists its kernel nodes. Without a clone, the nodes are the
 * graph's. */
void gasan_graph_proof_survey(struct gasan_graph_launch_proof *proof, cudaGraph_t graph, bool may_clone);
/* Returns false for executables that a kernel launches, or another context; these are left alone. Sets *flags to those
 * of the instantiation. */
bool gasan_graph_proof_takes(cudaGraphExec_t exec, unsigned long long *flags);
/* Returns NULL if the clone has no such kernel node, or if the node cannot run a variant. */
struct gasan_graph_proof_node *gasan_graph_proof_find_node(struct gasan_graph_launch_proof *proof,
                                                           cudaGraphNode_t handle);
/* Makes the proven executable, with the program's parameters, unless it is there. Returns false if CUDA refuses. */
bool gasan_graph_proof_instantiate(struct gasan_graph_launch_proof *proof);
/* Adds the runs of the nodes' present variants to the counts of launch_proof.c. Call before a variant changes. */
void gasan_graph_proof_count_runs(struct gasan_graph_launch_proof *proof);
/* Destroys the proven executable; the clone too; and forgets the nodes, which only a survey may follow. */
void gasan_graph_proof_drop_executable(struct gasan_graph_launch_proof *proof);
void gasan_graph_proof_drop_clone(struct gasan_graph_launch_proof *proof);
void gasan_graph_proof_drop_nodes(struct gasan_graph_launch_proof *proof);
/* Gives up: from now on the program's executable is launched. */
void gasan_graph_proof_stop(struct gasan_graph_launch_proof *proof);

/* graph_proof_nodes.c */

/* Chooses a variant for all nodes, or for the changed ones, and gives it to the proven executable. */
void gasan_graph_proof_prove(struct gasan_graph_launch_proof *proof, cudaStream_t stream, bool all);
/* Fills in *shape, which points into grid and block, for a launch of the node. */
void gasan_graph_proof_shape(const struct gasan_graph_proof_node *node, cudaStream_t stream, uint32_t grid[3],
                             uint32_t block[3], struct gasan_launch_shape *shape);

/* graph_proof_roots.c */

/* Lists the roots, with their bounds, of all nodes, or adds those of the changed nodes. Call before prove. Returns
 * false if not all roots are known. */
bool gasan_graph_proof_find_roots(struct gasan_graph_launch_proof *proof, cudaStream_t stream, bool all);
/* Returns true if all roots are known and have the same bounds as before, although memory was allocated or freed. */
bool gasan_graph_proof_roots_are_same(const struct gasan_graph_launch_proof *proof);

#endif
