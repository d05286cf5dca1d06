/* pool/tree.h: order, the heap property, and the data that `update` computes for subtrees, under random changes. */
#include "greatest.h"
#include "pool/tree.h"

#include <stdbool.h>

enum { NODES = 500 };

struct item {
  struct gasan_tree_node node;
  uint64_t weight, sum; /* of the subtree's weights */
  bool inside;
};

static struct item items[NODES];

static struct item *item_of(struct gasan_tree_node *node) {
  return GASAN_CONTAINER_OF(node, struct item, node);
}

static uint64_t sum_of(struct gasan_tree_node *node) {
  return node ? item_of(node)->sum : 0;
}

static bool update_sum(struct gasan_tree_node *node) {
  uint64_t before = item_of(node)->sum;
  item_of(node)->sum = item_of(node)->weight + sum_of(node->left) + sum_of(node->right);
  return item_of(node)->sum != before;
}

/* Returns the depth of a correct subtree; -1000 for a wrong one. */
static int depth_if_right(struct gasan_tree_node *node) {
  if (!node)
    return 0;
  bool right = item_of(node)->sum == item_of(node)->weight + sum_of(node->left) + sum_of(node->right);
  if (node->left)
    right &= node->left->parent == node && node->left->key < node->key && node->left->priority <= node->priority;
  if (node->right)
    right &= node->right->parent == node && node->right->key > node->key && node->right->priority <= node->priority;
  int left_depth = depth_if_right(node->left), right_depth = depth_if_right(node->right);
  if (!right || left_depth < 0 || right_depth < 0)
    return -1000;
  return 1 + (left_depth > right_depth ? left_depth : right_depth);
}

static bool neighbours_are_right(const struct gasan_tree *tree) {
  struct gasan_tree_node *expected = NULL, *node = gasan_tree_first(tree);
  for (int i = 0; i < NODES; i++) {
    if (items[i].inside) {
      if (node != &items[i].node || gasan_tree_previous(node) != expected)
        return false;
      expected = node;
      node = gasan_tree_next(node);
    }
    if (gasan_tree_floor(tree, (uint64_t)i * 10 + 5) != expected)
      return false;
    if (gasan_tree_floor(tree, (uint64_t)i * 10) != expected)
      return false;
  }
  return node == NULL;
}

TEST random_changes(void) {
  struct gasan_tree tree;
  uint64_t random = 7;
  gasan_tree_init(&tree, update_sum);
  for (int i = 0; i < NODES; i++)
    items[i] = (struct item){.node.key = (uint64_t)i * 10, .weight = (uint64_t)i};
  for (int step = 0; step < 10000; step++) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    struct item *item = &items[(random >> 33) % NODES];
    if (!item->inside) {
      gasan_tree_insert(&tree, &item->node);
    } else if ((random >> 20) % 4) {
      gasan_tree_remove(&tree, &item->node);
    } else {
      item->weight = random >> 40;
      gasan_tree_refresh(&tree, &item->node);
      continue;
    }
    item->inside = !item->inside;
    int depth = depth_if_right(tree.root);
    ASSERT(depth >= 0 && depth < 40);
    if (step % 16 == 0)
      ASSERT(neighbours_are_right(&tree));
  }
  PASS();
}

/* Keys in order are the worst case of a tree without balance. */
TEST ordered_keys_stay_shallow(void) {
  struct gasan_tree tree;
  gasan_tree_init(&tree, update_sum);
  for (int i = 0; i < NODES; i++) {
    items[i] = (struct item){.node.key = (uint64_t)i, .weight = 1};
    gasan_tree_insert(&tree, &items[i].node);
  }
  int depth = depth_if_right(tree.root);
  ASSERT(depth > 0 && depth < 40);
  ASSERT_EQ(NODES, sum_of(tree.root));
  PASS();
}

TEST empty(void) {
  struct gasan_tree tree;
  gasan_tree_init(&tree, NULL);
  ASSERT_EQ(NULL, gasan_tree_first(&tree));
  ASSERT_EQ(NULL, gasan_tree_floor(&tree, UINT64_MAX));
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(random_changes);
  RUN_TEST(ordered_keys_stay_shallow);
  RUN_TEST(empty);
  GREATEST_MAIN_END();
}
