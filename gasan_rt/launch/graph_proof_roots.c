/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracks the pointers whose bounds the proofs of an executable graph used. The proofs hold as long as these bounds are
 * the same. */
#include <stdlib.h>

#include "gasan_rt/launch/graph_proof.h"
#include "gasan_rt/memory/device_bounds.h"

static int by_pointer(const void *a, const void *b) {
  uint64_t left = ((const struct gasan_graph_proof_root *)a)->pointer,
           right = ((const struct gasan_graph_proof_root *)b)->pointer;
  return left < right ? -1 : left > right;
}

#define NODE_ROOTS 64u

static bool add_roots(struct gasan_graph_launch_proof *proof, const struct gasan_graph_proof_node *node,
                      cudaStream_t stream) {
  uint64_t pointers[NODE_ROOTS];
  struct gasan_launch_shape shape;
  uint32_t count, grid[3], block[3];
  gasan_graph_proof_shape(node, stream, grid, block, &shape);
  if (!node->kernel)
    return true;
  if (!gasan_launch_proof_roots(node->kernel, proof->state, &shape, pointers, NODE_ROOTS, &count))
    return false;
  if (proof->root_count + count > proof->root_room) {
    uint32_t room = proof->root_room * 2 + NODE_ROOTS;
    struct gasan_graph_proof_root *roots = realloc(proof->roots, room * sizeof *roots);
    if (!roots)
      return false;
    proof->roots = roots;
    proof->root_room = room;
  }
  for (uint32_t i = 0; i < count; i++)
    proof->roots[proof->root_count++].pointer = pointers[i];
  return true;
}

static void look_up(struct gasan_graph_launch_proof *proof, uint32_t from) {
  for (uint32_t i = from; i < proof->root_count; i++)
    proof->roots[i].bounds = gasan_lookup_bounds(proof->state, proof->roots[i].pointer);
}

static void sort_roots(struct gasan_graph_launch_proof *proof) {
  uint32_t kept = 0;
  if (proof->root_count)
    qsort(proof->roots, proof->root_count, sizeof *proof->roots, by_pointer);
  for (uint32_t i = 0; i < proof->root_count; i++)
    if (!kept || proof->roots[kept - 1].pointer != proof->roots[i].pointer)
      proof->roots[kept++] = proof->roots[i];
  proof->root_count = kept;
}

/* Appends the roots of changed nodes to the list, unsorted. */
bool gasan_graph_proof_find_roots(struct gasan_graph_launch_proof *proof, cudaStream_t stream, bool all) {
  uint32_t before = all ? 0 : proof->root_count;
  if (!all && (!proof->roots_known || proof->root_count > proof->most_roots))
    return false;
  proof->root_count = before;
  for (uint32_t i = 0; i < proof->count; i++)
    if ((all || proof->nodes[i].changed) && !add_roots(proof, &proof->nodes[i], stream))
      return false;
  if (all) {
    sort_roots(proof);
    proof->most_roots = 2 * proof->root_count + NODE_ROOTS;
  }
  look_up(proof, before);
  return true;
}

bool gasan_graph_proof_roots_are_same(const struct gasan_graph_launch_proof *proof) {
  for (uint32_t i = 0; i < proof->root_count; i++) {
    const struct gasan_graph_proof_root *root = &proof->roots[i];
    struct gasan_bounds bounds = gasan_lookup_bounds(proof->state, root->pointer);
    if (bounds.base != root->bounds.base || bounds.size != root->bounds.size || bounds.object != root->bounds.object)
      return false;
  }
  return proof->roots_known;
}
