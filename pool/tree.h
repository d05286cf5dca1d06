/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A balanced search tree whose nodes lie inside the things it orders (private to pool/): a treap, O(log n) expected.
 *
 * Keys are unique. A tree may keep something about each subtree in its nodes (`update`): it is recomputed from the
 * children wherever the shape changes, and upwards as far as it does. Allocates nothing; no lock inside. */
#ifndef GASAN_POOL_TREE_H
#define GASAN_POOL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gasan_tree_node {
  uint64_t key;
  struct gasan_tree_node *parent, *left, *right;
  struct gasan_tree_node *previous, *next; /* in the order of the keys */
  uint64_t priority;                       /* a parent's is at least its children's */
};

struct gasan_tree {
  struct gasan_tree_node *root;
  bool (*update)(struct gasan_tree_node *node); /* false: it is what it was. May be NULL */
  uint64_t random;
};

#define GASAN_CONTAINER_OF(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

void gasan_tree_init(struct gasan_tree *tree, bool (*update)(struct gasan_tree_node *node));

/* node->key is set by the caller and not in the tree yet. */
void gasan_tree_insert(struct gasan_tree *tree, struct gasan_tree_node *node);
void gasan_tree_remove(struct gasan_tree *tree, struct gasan_tree_node *node);
/* Something that `update` looks at changed in the node. */
void gasan_tree_refresh(struct gasan_tree *tree, struct gasan_tree_node *node);

static inline struct gasan_tree_node *gasan_tree_next(const struct gasan_tree_node *node) {
  return node->next;
}

static inline struct gasan_tree_node *gasan_tree_previous(const struct gasan_tree_node *node) {
  return node->previous;
}

/* NULL: there is none. floor: the node with the greatest key that is at most `key`. */
struct gasan_tree_node *gasan_tree_first(const struct gasan_tree *tree);
struct gasan_tree_node *gasan_tree_floor(const struct gasan_tree *tree, uint64_t key);

#endif
