/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cpu/address_ranges.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index of the first range whose base is above the address. */
static size_t upper_bound(const struct gasan_cpu_ranges *ranges, uintptr_t address) {
  size_t low = 0, high = ranges->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ranges->items[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool make_room(struct gasan_cpu_ranges *ranges) {
  if (ranges->count < ranges->room)
    return true;
  size_t room = ranges->room ? ranges->room * 2 : 64;
  struct gasan_cpu_range *items = realloc(ranges->items, room * sizeof *items);
  if (!items)
    return false;
  ranges->items = items;
  ranges->room = room;
  return true;
}

static void remove_items(struct gasan_cpu_ranges *ranges, size_t first, size_t end) {
  if (first == end) /* items may be NULL, which memmove must not get */
    return;
  memmove(ranges->items + first, ranges->items + end, (ranges->count - end) * sizeof *ranges->items);
  ranges->count -= end - first;
}

bool gasan_cpu_ranges_add(struct gasan_cpu_ranges *ranges, struct gasan_cpu_range range) {
  pthread_mutex_lock(&ranges->lock);
  bool added = make_room(ranges);
  if (added) {
    size_t index = upper_bound(ranges, range.base);
    memmove(ranges->items + index + 1, ranges->items + index, (ranges->count - index) * sizeof range);
    ranges->items[index] = range;
    ranges->count++;
  }
  pthread_mutex_unlock(&ranges->lock);
  return added;
}

bool gasan_cpu_ranges_find(struct gasan_cpu_ranges *ranges, uintptr_t address, struct gasan_cpu_range *range) {
  pthread_mutex_lock(&ranges->lock);
  size_t index = upper_bound(ranges, address);
  bool found = index > 0 && address - ranges->items[index - 1].base < ranges->items[index - 1].size;
  if (found)
    *range = ranges->items[index - 1];
  pthread_mutex_unlock(&ranges->lock);
  return found;
}

bool gasan_cpu_ranges_take(struct gasan_cpu_ranges *ranges, uintptr_t base, uint32_t tags,
                           struct gasan_cpu_range *range) {
  pthread_mutex_lock(&ranges->lock);
  size_t index = upper_bound(ranges, base);
  bool found = index > 0 && ranges->items[index - 1].base == base && (ranges->items[index - 1].tag & tags);
  if (found) {
    *range = ranges->items[index - 1];
    remove_items(ranges, index - 1, index);
  }
  pthread_mutex_unlock(&ranges->lock);
  return found;
}

size_t gasan_cpu_ranges_clear(struct gasan_cpu_ranges *ranges, uintptr_t base, size_t size, uint32_t tag) {
  pthread_mutex_lock(&ranges->lock);
  size_t first = base ? upper_bound(ranges, base - 1) : 0, end = first, bytes = 0;
  for (; end < ranges->count && ranges->items[end].base - base < size; end++)
    if (ranges->items[end].tag == tag)
      bytes += ranges->items[end].size;
  remove_items(ranges, first, end);
  pthread_mutex_unlock(&ranges->lock);
  return bytes;
}
