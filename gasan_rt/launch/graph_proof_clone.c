/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Clones a graph, lists the clone's kernel nodes, and instantiates the proven executable from the clone. */
#include <stdlib.h>

#include "gasan_rt/launch/graph_kernels.h"
#include "gasan_rt/launch/graph_proof.h"

struct gasan_graph_proof_counters gasan_graph_proof_counters;

void gasan_graph_proof_count_runs(struct gasan_graph_launch_proof *proof) {
  uint64_t runs = proof->runs, variant_runs = proof->variant_runs;
  proof->runs = proof->variant_runs = 0;
  for (uint32_t i = 0; (runs || variant_runs) && i < proof->count; i++) {
    const struct gasan_graph_proof_node *node = &proof->nodes[i];
    if (!node->kernel)
      continue;
    if (runs)
      gasan_launch_proof_count_in_graph(node->kernel, proof->state, GASAN_VARIANT_FULL, runs);
    if (variant_runs)
      gasan_launch_proof_count_in_graph(node->kernel, proof->state, node->variant, variant_runs);
  }
}

void gasan_graph_proof_drop_executable(struct gasan_graph_launch_proof *proof) {
  gasan_graph_proof_count_runs(proof);
  if (proof->proven_exec)
    GASAN_GRAPH_TRY(GASAN_REAL(cudaGraphExecDestroy)(proof->proven_exec));
  proof->proven_exec = NULL;
  proof->valid = false;
  proof->variants = proof->proven = 0;
  for (uint32_t i = 0; i < proof->count; i++)
    proof->nodes[i].variant = GASAN_VARIANT_FULL;
}

void gasan_graph_proof_drop_clone(struct gasan_graph_launch_proof *proof) {
  gasan_graph_proof_drop_executable(proof);
  if (proof->clone)
    GASAN_GRAPH_TRY(GASAN_REAL(cudaGraphDestroy)(proof->clone));
  proof->clone = NULL;
}

void gasan_graph_proof_drop_nodes(struct gasan_graph_launch_proof *proof) {
  for (uint32_t i = 0; i < proof->count; i++)
    free(proof->nodes[i].hidden);
  proof->count = 0;
  proof->others = false;
}

void gasan_graph_proof_stop(struct gasan_graph_launch_proof *proof) {
  if (proof->clone)
    atomic_fetch_add(&gasan_graph_proof_counters.lost, 1);
  gasan_graph_proof_drop_clone(proof);
}

/* Returns true for node types that can be cloned. CUDA makes only one executable from a graph with memory nodes, and
 * does not clone conditional nodes. Later versions of CUDA may have further types. */
static bool is_cloneable(enum cudaGraphNodeType type) {
  return type != cudaGraphNodeTypeMemAlloc && type != cudaGraphNodeTypeMemFree &&
         type != cudaGraphNodeTypeConditional && type < cudaGraphNodeTypeCount;
}

struct survey {
  struct gasan_graph_launch_proof *proof;
  bool cloneable;
};

static void add_node(struct gasan_graph_launch_proof *proof, cudaGraphNode_t handle) {
  struct gasan_graph_proof_node node = {.handle = handle};
  int ordinal;
  if (!GASAN_GRAPH_TRY(GASAN_REAL(cudaGraphKernelNodeGetParams)(handle, &node.params)) || node.params.extra ||
      !(node.kernel = gasan_graph_node_kernel(handle, node.params.func, &ordinal)) ||
      ordinal != proof->state->device->ordinal || !gasan_launch_proof_has_variants(node.kernel, proof->state)) {
    proof->others = true;
    return;
  }
  if (proof->count == proof->room) {
    uint32_t room = proof->room ? proof->room * 2 : 8;
    struct gasan_graph_proof_node *nodes = realloc(proof->nodes, room * sizeof *nodes);
    if (!nodes) {
      proof->others = true;
      return;
    }
    proof->nodes = nodes;
    proof->room = room;
  }
  proof->nodes[proof->count++] = node;
}

static void visit_node(cudaGraphNode_t node, enum cudaGraphNodeType type, void *context) {
  struct survey *survey = context;
  if (type == cudaGraphNodeTypeKernel)
    add_node(survey->proof, node);
  survey->cloneable = survey->cloneable && is_cloneable(type);
}

static int by_handle(const void *a, const void *b) {
  uintptr_t left = (uintptr_t)((const struct gasan_graph_proof_node *)a)->handle,
            right = (uintptr_t)((const struct gasan_graph_proof_node *)b)->handle;
  return left < right ? -1 : left > right;
}

struct gasan_graph_proof_node *gasan_graph_proof_find_node(struct gasan_graph_launch_proof *proof,
                                                           cudaGraphNode_t handle) {
  struct gasan_graph_proof_node key = {.handle = handle};
  return proof->count ? bsearch(&key, proof->nodes, proof->count, sizeof key, by_handle) : NULL;
}

void gasan_graph_proof_survey(struct gasan_graph_launch_proof *proof, cudaGraph_t graph, bool may_clone) {
  struct survey survey = {proof, may_clone};
  gasan_graph_each_node(graph, visit_node, &survey);
  if (!survey.cloneable || !proof->count || !GASAN_GRAPH_TRY(GASAN_REAL(cudaGraphClone)(&proof->clone, graph))) {
    proof->clone = NULL;
    return;
  }
  gasan_graph_note_copy(proof->clone, graph);
  gasan_graph_proof_drop_nodes(proof);
  gasan_graph_each_node(proof->clone, visit_node, &survey);
  if (proof->count)
    qsort(proof->nodes, proof->count, sizeof *proof->nodes, by_handle);
}

bool gasan_graph_proof_takes(cudaGraphExec_t exec, unsigned long long *flags) {
  return GASAN_GRAPH_TRY(GASAN_REAL(cudaGraphExecGetFlags)(exec, flags)) &&
         !(*flags & cudaGraphInstantiateFlagDeviceLaunch);
}

bool gasan_graph_proof_instantiate(struct gasan_graph_launch_proof *proof) {
  unsigned long long flags;
  if (proof->proven_exec)
    return true;
  if (!gasan_graph_proof_takes(proof->exec, &flags) ||
      !GASAN_GRAPH_TRY(GASAN_REAL(cudaGraphInstantiate)(&proof->proven_exec, proof->clone,
                                                        flags & cudaGraphInstantiateFlagUseNodePriority))) {
    proof->proven_exec = NULL;
    return false;
  }
  for (uint32_t i = 0; i < proof->count; i++)
    proof->nodes[i].changed = false;
  return true;
}
