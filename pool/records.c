/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/records.h"

#include <stdlib.h>

#include "base/check.h"
#include "shadow/tags.h"

/* Records of tagged chunks whose addresses were reused. There are 15 random tags, so with more records, most tags would
 * lead to the wrong chunk. */
#define MOST_FORGOTTEN 4096

static struct gasan_entry *entry_of(struct gasan_tree_node *node) {
  return node ? GASAN_CONTAINER_OF(node, struct gasan_entry, record_node) : NULL;
}

static uint64_t user_end(const struct gasan_entry *entry) {
  return entry->base + entry->layout.size;
}

static struct gasan_entry *floor_of(const struct gasan_records *records, uint64_t address) {
  return entry_of(gasan_tree_floor(&records->tree, address));
}

static struct gasan_entry *next_of(const struct gasan_entry *entry) {
  return entry_of(gasan_tree_next(&entry->record_node));
}

void gasan_records_init(struct gasan_records *records) {
  gasan_tree_init(&records->tree, NULL);
}

static uint32_t tag_bit(const struct gasan_entry *entry) {
  return entry && entry->tag <= GASAN_TAG_RANDOM ? 1u << entry->tag : 0;
}

static void forget_entry(struct gasan_records *records, struct gasan_entry *entry) {
  gasan_tree_remove(&records->tree, &entry->record_node);
  if (!entry->tag) {
    free(entry);
    return;
  }
  records->tags_before |= tag_bit(entry);
  gasan_quarantine_push(&records->forgotten, entry);
  if (records->forgotten.chunks > MOST_FORGOTTEN)
    free(gasan_quarantine_pop(&records->forgotten));
}

void gasan_records_destroy(struct gasan_records *records) {
  while (records->tree.root)
    forget_entry(records, entry_of(records->tree.root));
  for (struct gasan_entry *entry; (entry = gasan_quarantine_pop(&records->forgotten));)
    free(entry);
}

static uint64_t forget_released(struct gasan_records *records, uint64_t start, uint64_t end) {
  uint64_t forgotten = 0;
  if (records->released == 0)
    return 0;
  struct gasan_entry *entry = floor_of(records, start);
  if (!entry)
    entry = entry_of(gasan_tree_first(&records->tree));
  while (entry && entry->base < end) {
    struct gasan_entry *next = next_of(entry);
    if (entry->state == GASAN_ENTRY_RELEASED && user_end(entry) > start) {
      forget_entry(records, entry);
      records->released--;
      forgotten++;
    }
    entry = next;
  }
  return forgotten;
}

uint64_t gasan_records_add(struct gasan_records *records, struct gasan_entry *entry) {
  records->tags_before = 0;
  uint64_t forgotten = forget_released(records, entry->base - entry->layout.redzone,
                                       entry->base + entry->layout.aligned + entry->layout.redzone);
  entry->record_node.key = entry->base;
  gasan_tree_insert(&records->tree, &entry->record_node);
  return forgotten;
}

uint32_t gasan_records_tags_near(const struct gasan_records *records, const struct gasan_entry *entry) {
  return records->tags_before | tag_bit(entry_of(gasan_tree_previous(&entry->record_node))) | tag_bit(next_of(entry));
}

struct gasan_entry *gasan_records_holder(const struct gasan_records *records, uint64_t address) {
  struct gasan_entry *entry = floor_of(records, address);
  return entry && address < user_end(entry) ? entry : NULL;
}

/* Returns the distance in bytes from the address to the user range; 0: it is inside. */
static uint64_t distance_to(const struct gasan_entry *entry, uint64_t address) {
  if (address < entry->base)
    return entry->base - address;
  return address < user_end(entry) ? 0 : address - (user_end(entry) - 1);
}

static void prefer_nearer(struct gasan_entry **best, struct gasan_entry *entry, uint64_t address, uint32_t tag) {
  if (entry->tag == tag && (!*best || distance_to(entry, address) <= distance_to(*best, address)))
    *best = entry;
}

struct gasan_entry *gasan_records_tagged(const struct gasan_records *records, uint64_t address, uint32_t tag) {
  struct gasan_entry *best = gasan_records_holder(records, address);
  if (best && best->tag == tag)
    return best;
  best = NULL;
  for (struct gasan_entry *entry = records->forgotten.oldest; entry; entry = entry->next_quarantined)
    prefer_nearer(&best, entry, address, tag);
  for (struct gasan_entry *entry = entry_of(gasan_tree_first(&records->tree)); entry; entry = next_of(entry))
    if (!best || distance_to(best, address))
      prefer_nearer(&best, entry, address, tag);
  return best;
}

struct gasan_entry *gasan_records_nearest(const struct gasan_records *records, uint64_t address) {
  struct gasan_entry *below = floor_of(records, address);
  if (!below)
    return entry_of(gasan_tree_first(&records->tree));
  struct gasan_entry *above = next_of(below);
  if (address < user_end(below) || !above)
    return below;
  /* The last byte of `below` and the first byte of `above` are at distance 1. */
  uint64_t to_below = address - (user_end(below) - 1);
  uint64_t to_above = above->base - address;
  if (to_below == to_above)
    return below->state == GASAN_ENTRY_LIVE || above->state != GASAN_ENTRY_LIVE ? below : above;
  return to_below < to_above ? below : above;
}
