/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A chunk takes addresses from its start to its end: its user range, and the lead in front of it. A request for `span`
 * bytes (lead and aligned) with redzone R fits between chunk X and the next chunk Y if there is a start with
 *   start >= max(footprint end of X, end of X + max(redzone of X, R))
 *   start + max(footprint, span + R) <= start of Y    and    start + span + redzone of Y <= start of Y.
 * Each condition compares a distance in the gap with a number of the request, so a gap has four distances. The
 * alignment of the base is tested after these. The search skips a subtree if one of the distances is too small in all
 * of its gaps. */
#include "pool/space.h"

#include <string.h>

#include "base/check.h"
#include "base/round.h"

static struct gasan_entry *entry_of(struct gasan_tree_node *node) {
  return GASAN_CONTAINER_OF(node, struct gasan_entry, space_node);
}

static uint64_t greater(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t distance(uint64_t from, uint64_t to) {
  return to > from ? to - from : 0;
}

static uint64_t start_of(const struct gasan_entry *entry) {
  return entry->base - entry->layout.lead;
}

static uint64_t span_of(const struct gasan_layout *layout) {
  return layout->lead + layout->aligned;
}

static uint64_t end_of(const struct gasan_entry *entry) {
  return entry->base + entry->layout.aligned;
}

/* Returns the first address after the entry where a chunk without a redzone could start. */
static uint64_t clear_of(const struct gasan_entry *entry) {
  return greater(start_of(entry) + entry->layout.footprint, end_of(entry) + entry->layout.redzone);
}

static void widen(struct gasan_gap *widest, const struct gasan_gap *gap) {
  widest->from_footprint = greater(widest->from_footprint, gap->from_footprint);
  widest->from_end = greater(widest->from_end, gap->from_end);
  widest->from_footprint_to_redzone = greater(widest->from_footprint_to_redzone, gap->from_footprint_to_redzone);
  widest->from_end_to_redzone = greater(widest->from_end_to_redzone, gap->from_end_to_redzone);
}

static bool update_widest(struct gasan_tree_node *node) {
  struct gasan_entry *entry = entry_of(node);
  struct gasan_gap widest = entry->gap;
  if (node->left)
    widen(&widest, &entry_of(node->left)->widest);
  if (node->right)
    widen(&widest, &entry_of(node->right)->widest);
  bool changed = memcmp(&widest, &entry->widest, sizeof widest) != 0;
  entry->widest = widest;
  return changed;
}

static bool wide_enough(const struct gasan_gap *gap, const struct gasan_layout *layout) {
  uint64_t extent = greater(layout->footprint, span_of(layout) + layout->redzone);
  return gap->from_footprint >= extent && gap->from_end >= extent + layout->redzone &&
         gap->from_footprint_to_redzone >= span_of(layout) &&
         gap->from_end_to_redzone >= span_of(layout) + layout->redzone;
}

/* Measures the gap between the entry and `next`. NULL stands for the window's end. */
static void measure_gap_to(const struct gasan_space *space, struct gasan_entry *entry, const struct gasan_entry *next) {
  uint64_t limit = next ? start_of(next) : space->end;
  uint64_t limit_redzone = next ? limit - next->layout.redzone : limit;
  entry->gap = (struct gasan_gap){
      .from_footprint = distance(clear_of(entry), limit),
      .from_end = distance(end_of(entry), limit),
      .from_footprint_to_redzone = distance(clear_of(entry), limit_redzone),
      .from_end_to_redzone = distance(end_of(entry), limit_redzone),
  };
}

static void measure_gap(struct gasan_space *space, struct gasan_entry *entry) {
  measure_gap_to(space, entry, gasan_space_next(entry));
  gasan_tree_refresh(&space->taken, &entry->space_node);
}

void gasan_space_init(struct gasan_space *space, uint64_t base, uint64_t size) {
  *space = (struct gasan_space){.base = base, .end = base + size};
  gasan_tree_init(&space->taken, update_widest);
  space->edge.base = space->edge.space_node.key = base;
  gasan_tree_insert(&space->taken, &space->edge.space_node);
  measure_gap(space, &space->edge);
}

/* Sums of sizes and redzones up to the window's size do not overflow 64 bits. */
bool gasan_space_could_fit(const struct gasan_space *space, const struct gasan_layout *layout) {
  uint64_t window = space->end - space->base;
  if (layout->footprint > window || layout->redzone > window)
    return false;
  uint64_t first = gasan_round_up(layout->redzone, layout->alignment);
  return first + greater(layout->footprint, span_of(layout) + layout->redzone) <= window;
}

/* Finds the lowest base in the gap after the entry. */
static bool fit_after(const struct gasan_space *space, const struct gasan_entry *entry,
                      const struct gasan_layout *layout, uint64_t *base) {
  if (!wide_enough(&entry->gap, layout))
    return false;
  uint64_t start = greater(clear_of(entry), end_of(entry) + layout->redzone);
  start = gasan_round_up(start, layout->alignment);
  struct gasan_tree_node *next = gasan_tree_next(&entry->space_node);
  uint64_t limit = next ? start_of(entry_of(next)) : space->end;
  uint64_t next_redzone = next ? entry_of(next)->layout.redzone : 0;
  uint64_t extent = greater(layout->footprint, span_of(layout) + greater(layout->redzone, next_redzone));
  if (start > limit || extent > limit - start)
    return false;
  *base = start + layout->lead;
  return true;
}

static bool find_below(const struct gasan_space *space, struct gasan_tree_node *node, const struct gasan_layout *layout,
                       uint64_t *base) {
  if (!node || !wide_enough(&entry_of(node)->widest, layout))
    return false;
  return find_below(space, node->left, layout, base) || fit_after(space, entry_of(node), layout, base) ||
         find_below(space, node->right, layout, base);
}

bool gasan_space_find(const struct gasan_space *space, const struct gasan_layout *layout, uint64_t *base) {
  return find_below(space, space->taken.root, layout, base);
}

struct gasan_entry *gasan_space_floor(const struct gasan_space *space, uint64_t address) {
  return entry_of(gasan_tree_floor(&space->taken, address));
}

void gasan_space_take(struct gasan_space *space, struct gasan_entry *entry) {
  entry->space_node.key = entry->base;
  struct gasan_entry *previous = gasan_space_floor(space, entry->base);
  measure_gap_to(space, entry, gasan_space_next(previous));
  gasan_tree_insert(&space->taken, &entry->space_node);
  measure_gap(space, previous);
}

/* Updates the widest gaps of the entry's ancestors. The entry's gap has only grown, so none of them shrinks. */
static void widen_above(struct gasan_entry *entry) {
  for (struct gasan_tree_node *node = &entry->space_node; node; node = node->parent) {
    struct gasan_gap before = entry_of(node)->widest;
    widen(&entry_of(node)->widest, &entry->gap);
    if (memcmp(&before, &entry_of(node)->widest, sizeof before) == 0)
      return;
  }
}

/* Gives the new gap to the entry's ancestors before the old gap is removed. No distance of the new gap is smaller, so
 * the removal then changes few ancestors. */
void gasan_space_give_back(struct gasan_space *space, struct gasan_entry *entry) {
  struct gasan_entry *previous = entry_of(gasan_tree_previous(&entry->space_node));
  measure_gap_to(space, previous, gasan_space_next(entry));
  widen_above(previous);
  gasan_tree_remove(&space->taken, &entry->space_node);
}

struct gasan_entry *gasan_space_first(const struct gasan_space *space) {
  return gasan_space_next(&space->edge);
}

struct gasan_entry *gasan_space_next(const struct gasan_entry *entry) {
  struct gasan_tree_node *next = gasan_tree_next(&entry->space_node);
  return next ? entry_of(next) : NULL;
}

void gasan_space_distances(const struct gasan_space *space, const struct gasan_entry *entry, uint64_t *left,
                           uint64_t *right) {
  struct gasan_entry *previous = entry_of(gasan_tree_previous(&entry->space_node));
  struct gasan_entry *next = gasan_space_next(entry);
  *left = entry->base - (previous->base + previous->layout.size);
  *right = (next ? next->base : space->end) - (entry->base + entry->layout.size);
}
