/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the variant that each node of the proven executable runs. */
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/launch/graph_proof.h"

static bool set_node(struct gasan_graph_launch_proof *proof, struct gasan_graph_proof_node *node, const void *function,
                     void **arguments) {
  struct cudaKernelNodeParams params = node->params;
  params.func = (void *)(uintptr_t)function;
  params.kernelParams = arguments;
  atomic_fetch_add(&gasan_graph_proof_counters.changes, 1);
  return GASAN_GRAPH_TRY(GASAN_REAL(cudaGraphExecKernelNodeSetParams)(proof->proven_exec, node->handle, &params));
}

static bool is_proof(enum gasan_proof_variant variant) {
  return variant == GASAN_VARIANT_PROVEN || variant == GASAN_VARIANT_BOUNDED;
}

static void note_variant(struct gasan_graph_launch_proof *proof, struct gasan_graph_proof_node *node,
                         enum gasan_proof_variant variant, bool looks_up) {
  proof->variants += (variant != GASAN_VARIANT_FULL) - (node->variant != GASAN_VARIANT_FULL);
  proof->proven += is_proof(variant) - is_proof(node->variant);
  node->variant = variant;
  node->looks_up = looks_up;
  node->changed = false;
}

static bool has_hidden_arguments(const struct gasan_graph_proof_node *node, const struct gasan_variant_launch *launch) {
  return node->variant == launch->variant && node->hidden_count == launch->hidden_count &&
         memcmp(node->hidden, launch->hidden, launch->hidden_count * sizeof *node->hidden) == 0;
}

static bool set_hidden_arguments(struct gasan_graph_proof_node *node, const struct gasan_variant_launch *launch) {
  uint64_t *hidden = realloc(node->hidden, (launch->hidden_count + 1) * sizeof *hidden);
  if (!hidden)
    return false;
  node->hidden = hidden;
  node->hidden_count = launch->hidden_count;
  memcpy(hidden, launch->hidden, launch->hidden_count * sizeof *hidden);
  return true;
}

void gasan_graph_proof_shape(const struct gasan_graph_proof_node *node, cudaStream_t stream, uint32_t grid[3],
                             uint32_t block[3], struct gasan_launch_shape *shape) {
  const struct cudaKernelNodeParams *params = &node->params;
  memcpy(grid, (uint32_t[]){params->gridDim.x, params->gridDim.y, params->gridDim.z}, 3 * sizeof *grid);
  memcpy(block, (uint32_t[]){params->blockDim.x, params->blockDim.y, params->blockDim.z}, 3 * sizeof *block);
  *shape = (struct gasan_launch_shape){grid, block, params->sharedMemBytes, params->kernelParams, stream, true};
}

/* Makes the proven executable's node run the best variant. Returns false if the node cannot get its parameters, or if
 * the proven executable is needed and cannot be made. */
static bool prove_node(struct gasan_graph_launch_proof *proof, struct gasan_graph_proof_node *node,
                       cudaStream_t stream) {
  struct gasan_variant_launch launch;
  struct gasan_timed_launch timed; /* nodes are not timed */
  struct gasan_launch_shape shape;
  uint32_t grid[3], block[3];
  gasan_graph_proof_shape(node, stream, grid, block, &shape);
  bool varies =
      node->kernel && !node->refused && gasan_launch_proof_choose(node->kernel, proof->state, &shape, &launch, &timed);
  if (varies && !gasan_graph_proof_instantiate(proof))
    return false;
  if (varies && !node->changed && has_hidden_arguments(node, &launch))
    return true;
  if (varies && set_hidden_arguments(node, &launch) && set_node(proof, node, launch.function, launch.passed)) {
    note_variant(proof, node, launch.variant, launch.looks_up);
    return true;
  }
  if (varies) {
    node->refused = true;
    atomic_fetch_add(&gasan_graph_proof_counters.refusals, 1);
  }
  if (!proof->proven_exec || (node->variant == GASAN_VARIANT_FULL && !node->changed))
    return true;
  if (!set_node(proof, node, node->params.func, node->params.kernelParams))
    return false;
  note_variant(proof, node, GASAN_VARIANT_FULL, true);
  return true;
}

void gasan_graph_proof_prove(struct gasan_graph_launch_proof *proof, cudaStream_t stream, bool all) {
  gasan_graph_proof_count_runs(proof);
  atomic_fetch_add(&gasan_graph_proof_counters.proofs, 1);
  proof->any_changed = false;
  proof->looks_up = proof->others;
  for (uint32_t i = 0; i < proof->count; i++) {
    struct gasan_graph_proof_node *node = &proof->nodes[i];
    if ((all || node->changed) && !prove_node(proof, node, stream)) {
      gasan_graph_proof_stop(proof);
      return;
    }
    proof->looks_up = proof->looks_up || node->variant == GASAN_VARIANT_FULL || node->looks_up;
  }
}
