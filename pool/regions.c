/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static struct gasan_piece *piece_of(struct gasan_tree_node *node) {
  return node ? GASAN_CONTAINER_OF(node, struct gasan_piece, node) : NULL;
}

static struct gasan_piece *next_of(const struct gasan_piece *piece) {
  return piece_of(gasan_tree_next(&piece->node));
}

static struct gasan_piece *previous_of(const struct gasan_piece *piece) {
  return piece_of(gasan_tree_previous(&piece->node));
}

static struct gasan_piece *floor_of(const struct gasan_regions *regions, uint64_t address) {
  return piece_of(gasan_tree_floor(&regions->pieces, address));
}

static uint64_t end_of(const struct gasan_region *region) {
  return region->base + region->size;
}

/* Adds a piece; the region's count grows. NULL: no host memory. */
static struct gasan_piece *add_piece(struct gasan_regions *regions, uint64_t base, uint64_t end,
                                     struct gasan_region *region) {
  struct gasan_piece *piece = calloc(1, sizeof *piece);
  if (!piece)
    return NULL;
  piece->node.key = base;
  piece->end = end;
  piece->region = region;
  if (region)
    region->pieces++;
  gasan_tree_insert(&regions->pieces, &piece->node);
  return piece;
}

static void drop_region(struct gasan_region *region) {
  if (region && !region->pieces && !region->ticket)
    free(region);
}

static void remove_piece(struct gasan_regions *regions, struct gasan_piece *piece) {
  struct gasan_region *region = piece->region;
  gasan_tree_remove(&regions->pieces, &piece->node);
  free(piece);
  if (region)
    region->pieces--;
  drop_region(region);
}

struct gasan_regions *gasan_regions_new(uint64_t base, uint64_t size) {
  struct gasan_regions *regions = calloc(1, sizeof *regions);
  if (!regions)
    return NULL;
  regions->base = base;
  regions->size = size;
  gasan_tree_init(&regions->pieces, NULL);
  if (add_piece(regions, base, base + size, NULL))
    return regions;
  free(regions);
  return NULL;
}

static void forget_lingering(struct gasan_regions *regions, uint64_t low, uint64_t high) {
  for (struct gasan_region **link = &regions->lingering; *link;) {
    struct gasan_region *region = *link;
    if (region->base < low || region->base >= high) {
      link = &region->next_lingering;
      continue;
    }
    *link = region->next_lingering;
    region->ticket = 0;
    drop_region(region);
  }
}

void gasan_regions_delete(struct gasan_regions *regions) {
  forget_lingering(regions, 0, UINT64_MAX);
  while (regions->pieces.root)
    remove_piece(regions, piece_of(regions->pieces.root));
  while (regions->heaps) {
    struct gasan_region_heap *next = regions->heaps->next;
    free(regions->heaps);
    regions->heaps = next;
  }
  free(regions->searched);
  free(regions);
}

/* Makes [base, end) a gap: cuts and removes the pieces there. Returns false without host memory for the rest of a piece
 * that has bytes on both sides: nothing changed. */
static bool clear_range(struct gasan_regions *regions, uint64_t base, uint64_t end) {
  struct gasan_piece *piece = floor_of(regions, base);
  if (!piece)
    piece = piece_of(gasan_tree_first(&regions->pieces));
  if (piece && gasan_piece_base(piece) < base && piece->end > base) {
    if (piece->end > end && !add_piece(regions, end, piece->end, piece->region))
      return false;
    piece->end = base;
  }
  while (piece && gasan_piece_base(piece) < end) {
    struct gasan_piece *next = next_of(piece);
    if (gasan_piece_base(piece) >= base && piece->end > end) {
      gasan_tree_remove(&regions->pieces, &piece->node);
      piece->node.key = end;
      gasan_tree_insert(&regions->pieces, &piece->node);
      break;
    }
    if (gasan_piece_base(piece) >= base)
      remove_piece(regions, piece);
    piece = next;
  }
  return true;
}

struct gasan_region_heap *gasan_regions_add_heap(struct gasan_regions *regions, uint64_t base, uint64_t size) {
  struct gasan_region_heap *heap = calloc(1, sizeof *heap);
  if (!heap)
    return NULL;
  if (!clear_range(regions, base, base + size)) {
    free(heap);
    return NULL;
  }
  *heap = (struct gasan_region_heap){.base = base, .size = size, .next = regions->heaps};
  regions->heaps = heap;
  return heap;
}

static bool is_outside(const struct gasan_piece *piece) {
  return piece && !piece->region;
}

/* Makes the heap's range outside again, one piece with its neighbours outside. The removal of a piece leaves memory for
 * the new one. */
void gasan_regions_remove_heap(struct gasan_regions *regions, struct gasan_region_heap *heap) {
  uint64_t base = heap->base, end = heap->base + heap->size;
  forget_lingering(regions, base, end);
  GASAN_CHECK(clear_range(regions, base, end)); /* no piece crosses a heap's border */
  struct gasan_region_heap **link = &regions->heaps;
  while (*link != heap)
    link = &(*link)->next;
  *link = heap->next;
  free(heap);
  struct gasan_piece *before = floor_of(regions, base);
  struct gasan_piece *after = before ? next_of(before) : piece_of(gasan_tree_first(&regions->pieces));
  if (is_outside(after) && gasan_piece_base(after) == end) {
    end = after->end;
    remove_piece(regions, after);
  }
  if (is_outside(before) && before->end == base)
    before->end = end;
  else
    GASAN_CHECK(add_piece(regions, base, end, NULL));
}

struct gasan_region_heap *gasan_regions_heap(const struct gasan_regions *regions, uint64_t address, uint64_t size) {
  struct gasan_region_heap *heap = regions->heaps;
  while (heap &&
         !(address >= heap->base && address - heap->base < heap->size && size <= heap->size - (address - heap->base)))
    heap = heap->next;
  return heap;
}

struct gasan_region *gasan_regions_add(struct gasan_regions *regions, uint64_t base, uint64_t size,
                                       struct gasan_pool_caller caller) {
  struct gasan_region *region = calloc(1, sizeof *region);
  if (!region)
    return NULL;
  *region = (struct gasan_region){.base = base, .size = size, .allocated = caller};
  /* The freed piece that the new region cuts in two keeps its second part, or all is as before. */
  if (clear_range(regions, base, base + size) && add_piece(regions, base, base + size, region))
    return region;
  free(region);
  return NULL;
}

bool gasan_regions_resize(struct gasan_regions *regions, struct gasan_region *region, uint64_t size) {
  struct gasan_piece *piece = floor_of(regions, region->base);
  if (size > region->size && !clear_range(regions, end_of(region), region->base + size))
    return false;
  piece->end = region->base + size;
  region->size = size;
  return true;
}

void gasan_regions_end(struct gasan_regions *regions, struct gasan_region *region, struct gasan_pool_caller caller,
                       uint64_t ticket) {
  region->state = GASAN_REGION_FREED;
  region->freed = caller;
  region->ticket = region->in_graph ? GASAN_TICKET_NEVER : ticket;
  if (!region->ticket)
    return;
  region->next_lingering = regions->lingering;
  regions->lingering = region;
}

bool gasan_regions_linger(struct gasan_regions *regions, uint64_t base, uint64_t size, uint64_t ticket) {
  struct gasan_region *region = calloc(1, sizeof *region);
  if (!region)
    return false;
  *region = (struct gasan_region){
      .base = base, .size = size, .state = GASAN_REGION_FREED, .ticket = ticket, .next_lingering = regions->lingering};
  regions->lingering = region;
  return true;
}

bool gasan_regions_settle(struct gasan_regions *regions, uint64_t ticket, uint64_t *base, uint64_t *size) {
  struct gasan_region **link = &regions->lingering;
  while (*link && (*link)->ticket != ticket)
    link = &(*link)->next_lingering;
  struct gasan_region *region = *link;
  if (!region)
    return false;
  *link = region->next_lingering;
  *base = region->base;
  *size = region->size;
  region->ticket = 0;
  drop_region(region);
  return true;
}

struct gasan_piece *gasan_regions_holder(const struct gasan_regions *regions, uint64_t address) {
  struct gasan_piece *piece = floor_of(regions, address);
  return piece && address < piece->end ? piece : NULL;
}

struct gasan_piece *gasan_regions_live_in(const struct gasan_regions *regions, uint64_t address, uint64_t size) {
  struct gasan_piece *piece = floor_of(regions, address);
  if (!piece)
    piece = piece_of(gasan_tree_first(&regions->pieces));
  while (piece && gasan_piece_base(piece) < address + size) {
    if (piece->end > address && gasan_piece_is_live(piece))
      return piece;
    piece = next_of(piece);
  }
  return NULL;
}

uint64_t gasan_regions_count_live(const struct gasan_regions *regions, uint64_t address, uint64_t size) {
  uint64_t count = 0, at = address, end = address + size;
  for (const struct gasan_piece *piece; at < end && (piece = gasan_regions_live_in(regions, at, end - at));
       at = piece->end)
    count += piece->region != NULL;
  return count;
}

static uint64_t distance_to(const struct gasan_piece *piece, uint64_t address) {
  if (address < gasan_piece_base(piece))
    return gasan_piece_base(piece) - address;
  return address < piece->end ? 0 : address - (piece->end - 1);
}

struct gasan_region *gasan_regions_nearest(const struct gasan_regions *regions, uint64_t address) {
  struct gasan_piece *before = floor_of(regions, address);
  struct gasan_piece *after = before ? next_of(before) : piece_of(gasan_tree_first(&regions->pieces));
  if (before && !before->region && address < before->end)
    return NULL;
  if (before && !before->region)
    before = NULL; /* beyond it is another heap, or none */
  if (after && !after->region)
    after = NULL;
  if (!before || !after)
    return before ? before->region : after ? after->region : NULL;
  uint64_t to_before = distance_to(before, address), to_after = distance_to(after, address);
  if (to_before == to_after)
    return gasan_piece_is_live(before) || !gasan_piece_is_live(after) ? before->region : after->region;
  return to_before < to_after ? before->region : after->region;
}

/* The bounds of one pointer while they are computed. */
struct finding {
  uint64_t pointer, last; /* the result holds up to `last` */
  uint64_t low, high;     /* of all objects that the pointer may belong to */
  bool any;
};

/* The result may change at this pointer. */
static void limit_result(struct finding *finding, uint64_t change) {
  if (change > finding->pointer && change - 1 < finding->last)
    finding->last = change - 1;
}

/* The end pointer belongs to the object, too. */
static void add_object(struct finding *finding, uint64_t base, uint64_t end) {
  limit_result(finding, base);
  limit_result(finding, end + 1);
  if (finding->pointer < base || finding->pointer > end)
    return;
  if (!finding->any || base < finding->low)
    finding->low = base;
  if (!finding->any || end > finding->high)
    finding->high = end;
  finding->any = true;
}

static void add_live_piece(struct finding *finding, const struct gasan_piece *piece) {
  if (!piece)
    return;
  limit_result(finding, gasan_piece_base(piece));
  limit_result(finding, piece->end);
  if (gasan_piece_is_live(piece))
    add_object(finding, gasan_piece_base(piece), piece->end);
}

static bool begins_freed(const struct gasan_piece *piece, uint64_t pointer) {
  return piece && !gasan_piece_is_live(piece) && gasan_piece_base(piece) == pointer;
}

/* Lets a pointer in a gap belong to the nearest live piece within reach. */
static void reach_out(struct finding *finding, const struct gasan_piece *before, const struct gasan_piece *after) {
  uint64_t pointer = finding->pointer;
  bool has_before = before && gasan_piece_is_live(before), has_after = after && gasan_piece_is_live(after);
  uint64_t from = has_before ? before->end : 0, to = has_after ? gasan_piece_base(after) : 0;
  bool near_before = has_before && pointer - from < GASAN_REGION_REACH;
  bool near_after = has_after && to - pointer <= GASAN_REGION_REACH;
  if (has_before)
    limit_result(finding, from + GASAN_REGION_REACH);
  if (has_after)
    limit_result(finding, to - GASAN_REGION_REACH);
  if (has_before && has_after)
    limit_result(finding, from + (to - from) / 2 + 1);
  if (near_before && near_after)
    *(pointer - from <= to - pointer ? &near_after : &near_before) = false;
  const struct gasan_piece *nearest = near_before ? before : near_after ? after : NULL;
  if (!nearest)
    return;
  finding->any = true;
  finding->low = gasan_piece_base(nearest);
  finding->high = nearest->end;
}

/* Returns the heap of a pointer in a gap: the one that contains it, or else the nearest before it. */
static const struct gasan_region_heap *heap_of(const struct gasan_regions *regions, uint64_t pointer) {
  const struct gasan_region_heap *best = NULL;
  for (const struct gasan_region_heap *heap = regions->heaps; heap; heap = heap->next)
    if (heap->base <= pointer && (!best || heap->base > best->base))
      best = heap;
  return best ? best : regions->heaps;
}

static struct gasan_range result_of(const struct finding *finding, uint64_t base, uint64_t size) {
  return (struct gasan_range){.start = finding->pointer, .last = finding->last, .base = base, .size = size};
}

struct gasan_range gasan_regions_bounds(const struct gasan_regions *regions, uint64_t pointer) {
  struct finding finding = {.pointer = pointer, .last = UINT64_MAX};
  const struct gasan_piece *piece = floor_of(regions, pointer),
                           *after = piece ? next_of(piece) : piece_of(gasan_tree_first(&regions->pieces));
  add_live_piece(&finding, piece ? previous_of(piece) : NULL);
  add_live_piece(&finding, piece);
  add_live_piece(&finding, after);
  for (const struct gasan_region *region = regions->lingering; region; region = region->next_lingering)
    add_object(&finding, region->base, end_of(region));
  /* A pointer to the end of live objects is also one into a freed region. One byte more in front of the objects says so
   * to whoever explains an access through it. */
  if (finding.any && finding.high == pointer && begins_freed(piece, pointer))
    finding.low--;
  if (finding.any)
    return result_of(&finding, finding.low, finding.high - finding.low);
  if (piece && pointer < piece->end)
    return result_of(&finding, piece->region->base, 0);
  const struct gasan_region_heap *heap = heap_of(regions, pointer);
  limit_result(&finding, heap->base);
  if (pointer == heap->base) {
    finding.last = pointer;
    return result_of(&finding, heap->base, heap->size);
  }
  reach_out(&finding, piece, after);
  return finding.any ? result_of(&finding, finding.low, finding.high - finding.low)
                     : result_of(&finding, heap->base, 0);
}

/* Returns the end of an object that contains the address, or 0. Sets *next to the least base of objects behind it. */
static uint64_t object_end(const struct gasan_regions *regions, uint64_t address, uint64_t *next) {
  uint64_t end = 0;
  *next = regions->base + regions->size;
  const struct gasan_piece *piece = floor_of(regions, address);
  if (!piece)
    piece = piece_of(gasan_tree_first(&regions->pieces));
  for (; piece && gasan_piece_base(piece) <= address; piece = next_of(piece))
    if (gasan_piece_is_live(piece) && address < piece->end)
      end = piece->end;
  while (piece && !gasan_piece_is_live(piece))
    piece = next_of(piece);
  if (piece)
    *next = gasan_piece_base(piece);
  for (const struct gasan_region *region = regions->lingering; region; region = region->next_lingering) {
    if (region->base <= address && address < end_of(region) && end_of(region) > end)
      end = end_of(region);
    if (region->base > address && region->base < *next)
      *next = region->base;
  }
  return end;
}

uint64_t gasan_regions_accessible(const struct gasan_regions *regions, uint64_t address, uint64_t *next) {
  uint64_t end = address;
  for (uint64_t more; (more = object_end(regions, end, next)) > end;)
    end = more;
  return end;
}

bool gasan_regions_reserve_searched(struct gasan_regions *regions, uint64_t count) {
  uint64_t needed = regions->searched_count + count, room = regions->searched_room ? regions->searched_room : 64;
  if (needed <= regions->searched_room)
    return true;
  while (room < needed)
    room *= 2;
  uint64_t *searched = realloc(regions->searched, room * sizeof *searched);
  if (!searched)
    return false;
  regions->searched = searched;
  regions->searched_room = room;
  return true;
}

/* Returns the number of searched blocks below the address. */
static uint64_t count_below(const struct gasan_regions *regions, uint64_t address) {
  uint64_t low = 0, high = regions->searched_count;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (regions->searched[middle] < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void gasan_regions_set_searched(struct gasan_regions *regions, uint64_t low, uint64_t high, const uint64_t *blocks,
                                uint64_t count) {
  uint64_t first = count_below(regions, low), end = count_below(regions, high), rest = regions->searched_count - end;
  if (!count && first == end)
    return;
  GASAN_CHECK(first + count + rest <= regions->searched_room);
  memmove(regions->searched + first + count, regions->searched + end, rest * sizeof *blocks);
  if (count)
    memcpy(regions->searched + first, blocks, count * sizeof *blocks);
  regions->searched_count = first + count + rest;
}
