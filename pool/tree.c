/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/tree.h"

#include "base/check.h"

void gasan_tree_init(struct gasan_tree *tree, bool (*update)(struct gasan_tree_node *node)) {
  *tree = (struct gasan_tree){.update = update, .random = 0x9e3779b97f4a7c15ull};
}

/* xorshift64. The sequence is the same in each run, so bugs can be reproduced. */
static uint64_t next_random(struct gasan_tree *tree) {
  uint64_t value = tree->random;
  value ^= value << 13;
  value ^= value >> 7;
  value ^= value << 17;
  return tree->random = value;
}

static void update_node(struct gasan_tree *tree, struct gasan_tree_node *node) {
  if (tree->update)
    tree->update(node);
}

void gasan_tree_refresh(struct gasan_tree *tree, struct gasan_tree_node *node) {
  if (!tree->update)
    return;
  while (node && tree->update(node))
    node = node->parent;
}

/* Returns the pointer to the node in its parent or in the tree. */
static struct gasan_tree_node **link_of(struct gasan_tree *tree, struct gasan_tree_node *node) {
  if (!node->parent)
    return &tree->root;
  return node->parent->left == node ? &node->parent->left : &node->parent->right;
}

static void rotate_up(struct gasan_tree *tree, struct gasan_tree_node *node) {
  struct gasan_tree_node *parent = node->parent;
  struct gasan_tree_node *moved;
  *link_of(tree, parent) = node;
  node->parent = parent->parent;
  if (parent->left == node) {
    moved = node->right;
    parent->left = moved;
    node->right = parent;
  } else {
    moved = node->left;
    parent->right = moved;
    node->left = parent;
  }
  if (moved)
    moved->parent = parent;
  parent->parent = node;
  update_node(tree, parent);
  update_node(tree, node);
}

static void link_between(struct gasan_tree_node *node, struct gasan_tree_node *previous, struct gasan_tree_node *next) {
  node->previous = previous;
  node->next = next;
  if (previous)
    previous->next = node;
  if (next)
    next->previous = node;
}

static void unlink_from_neighbours(struct gasan_tree_node *node) {
  if (node->previous)
    node->previous->next = node->next;
  if (node->next)
    node->next->previous = node->previous;
  node->previous = node->next = NULL;
}

void gasan_tree_insert(struct gasan_tree *tree, struct gasan_tree_node *node) {
  struct gasan_tree_node **link = &tree->root;
  struct gasan_tree_node *parent = NULL;
  while (*link) {
    parent = *link;
    GASAN_CHECK(parent->key != node->key);
    link = node->key < parent->key ? &parent->left : &parent->right;
  }
  if (!parent)
    link_between(node, NULL, NULL);
  else if (link == &parent->left)
    link_between(node, parent->previous, parent);
  else
    link_between(node, parent, parent->next);
  node->parent = parent;
  node->left = node->right = NULL;
  node->priority = next_random(tree);
  *link = node;
  while (node->parent && node->parent->priority < node->priority)
    rotate_up(tree, node);
  update_node(tree, node);
  gasan_tree_refresh(tree, node->parent);
}

/* Joins two trees into one below `parent`, at *link. All keys of `lower` are less than those of `upper`. Returns the
 * lowest node whose children have changed, or NULL. */
static struct gasan_tree_node *join_trees(struct gasan_tree_node *lower, struct gasan_tree_node *upper,
                                          struct gasan_tree_node *parent, struct gasan_tree_node **link) {
  struct gasan_tree_node *changed = NULL;
  while (lower && upper) {
    bool left = lower->priority > upper->priority;
    struct gasan_tree_node *top = left ? lower : upper;
    *link = top;
    top->parent = parent;
    parent = changed = top;
    link = left ? &top->right : &top->left;
    if (left)
      lower = top->right;
    else
      upper = top->left;
  }
  *link = lower ? lower : upper;
  if (*link)
    (*link)->parent = parent;
  return changed;
}

void gasan_tree_remove(struct gasan_tree *tree, struct gasan_tree_node *node) {
  struct gasan_tree_node *above = node->parent;
  struct gasan_tree_node *changed = join_trees(node->left, node->right, above, link_of(tree, node));
  for (; tree->update && changed != above && changed; changed = changed->parent)
    tree->update(changed);
  gasan_tree_refresh(tree, above);
  unlink_from_neighbours(node);
  node->parent = node->left = node->right = NULL;
}

struct gasan_tree_node *gasan_tree_first(const struct gasan_tree *tree) {
  struct gasan_tree_node *node = tree->root;
  while (node && node->left)
    node = node->left;
  return node;
}

struct gasan_tree_node *gasan_tree_floor(const struct gasan_tree *tree, uint64_t key) {
  struct gasan_tree_node *best = NULL;
  for (struct gasan_tree_node *node = tree->root; node;) {
    if (node->key <= key) {
      best = node;
      node = node->right;
    } else {
      node = node->left;
    }
  }
  return best;
}
