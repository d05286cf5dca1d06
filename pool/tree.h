/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A balanced search tree (private to pool/): a treap, O(log n) expected. Its nodes are members of the ordered structs.
 *
 * Keys are unique. Nodes may have a summary of their subtree. `update` computes it from the children, wherever the
 * tree's shape changes, and upwards as long as it changes. Allocates nothing; no lock inside. */
#ifndef GASAN_POOL_TREE_H
#define GASAN_POOL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gasan_tree_node {
  uint64_t key;
  struct gasan_tree_node *parent, *left, *right;
  struct gasan_tree_node *previous, *next; /* in key order */
  uint64_t priority;                       /* at most the parent's */
};

struct gasan_tree {
  struct gasan_tree_node *root;
  bool (*update)(
      struct gasan_tree_node *node); /* computes the node's summary; returns whether it changed; may be NULL */
  uint64_t random;
};

#define GASAN_CONTAINER_OF(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

void gasan_tree_init(struct gasan_tree *tree, bool (*update)(struct gasan_tree_node *node));

/* Inserts the node. The caller sets node->key, which must not be in the tree yet. */
void gasan_tree_insert(struct gasan_tree *tree, struct gasan_tree_node *node);
void gasan_tree_remove(struct gasan_tree *tree, struct gasan_tree_node *node);
/* Updates the summaries after a change in the node. */
void gasan_tree_refresh(struct gasan_tree *tree, struct gasan_tree_node *node);

static inline struct gasan_tree_node *gasan_tree_next(const struct gasan_tree_node *node) {
  return node->next;
}

static inline struct gasan_tree_node *gasan_tree_previous(const struct gasan_tree_node *node) {
  return node->previous;
}

/* first: the node with the least key; floor: the node with the greatest key that is at most `key`. NULL: none. */
struct gasan_tree_node *gasan_tree_first(const struct gasan_tree *tree);
struct gasan_tree_node *gasan_tree_floor(const struct gasan_tree *tree, uint64_t key);

#endif
