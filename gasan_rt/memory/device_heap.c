/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/device_heap.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#define ROOM (48ull << 20)
#define DOUBLED (512ull << 20)

/* Returns the size of an arena. The arena needs room for headers, rounded sizes and quarantined chunks: even the
 * smallest chunk takes 128 bytes. So limits up to DOUBLED are doubled. Larger heaps seldom have such small chunks, so
 * the part of the limit beyond DOUBLED gets only a quarter more. */
static uint64_t size_for(uint64_t limit) {
  return limit <= DOUBLED ? 2 * limit + ROOM : limit + DOUBLED + (limit - DOUBLED) / 4 + ROOM;
}

static uint64_t whole_pages(uint64_t size) {
  return (size + GASAN_HEAP_PAGE - 1) >> GASAN_HEAP_PAGE_SHIFT << GASAN_HEAP_PAGE_SHIFT;
}

/* Writes the header and tables of an empty arena. */
static struct gasan_status clear_arena(struct gasan_rt_device *state, uint64_t arena, const struct gasan_heap *heap) {
  const struct gasan_device_kind *kind = state->device->kind;
  struct gasan_status status = kind->fill(state->device, heap->places, 0, heap->chunks - heap->places);
  return gasan_ok(status) ? kind->write(state->device, arena, heap, sizeof *heap) : status;
}

static struct gasan_status create_arena(struct gasan_rt_device *state, uint64_t limit, uint64_t *arena) {
  const struct gasan_device_kind *kind = state->device->kind;
  /* If there is no memory for a size, the next is tried. CUDA's heap would take the limit. */
  const uint64_t sizes[] = {whole_pages(size_for(limit)), whole_pages(limit + limit / 4 + ROOM / 8),
                            whole_pages(limit + limit / 64 + ROOM / 8)};
  struct gasan_heap heap = {.limit = limit};
  struct gasan_status status = gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status.code == GASAN_ERR_OUT_OF_MEMORY; i++) {
    if (sizes[i] < limit || !gasan_heap_layout(0, sizes[i], &heap))
      continue; /* more than the address space, or than the arena's page numbers can count */
    status = kind->plain_alloc(state->device, sizes[i], arena);
    if (gasan_ok(status))
      gasan_heap_layout(*arena, sizes[i], &heap);
  }
  if (!gasan_ok(status))
    return status;
  status = clear_arena(state, *arena, &heap);
  if (!gasan_ok(status))
    kind->plain_free(state->device, *arena);
  return status;
}

static bool read_at(struct gasan_rt_device *state, void *to, uint64_t from, uint64_t size) {
  return gasan_ok(state->device->kind->read(state->device, to, from, size));
}

static bool read_heap(struct gasan_rt_device *state, struct gasan_heap *heap) {
  return state->params.heap && read_at(state, heap, state->params.heap, sizeof *heap);
}

static bool make_heap(struct gasan_rt_device *state) {
  static _Atomic bool warned;
  size_t limit = 0;
  if (GASAN_REAL(cudaDeviceGetLimit)(&limit, cudaLimitMallocHeapSize) != cudaSuccess)
    return false;
  uint64_t address = 0;
  struct gasan_status status = create_arena(state, limit, &address);
  if (gasan_ok(status)) {
    state->params.heap = address;
    return true;
  }
  if (status.code != GASAN_ERR_DEVICE && !atomic_exchange(&warned, true))
    gasan_rt_warn("malloc in kernels of device %d %s: no memory for a heap of %llu bytes (%s, driver error %d); set a "
                  "smaller cudaLimitMallocHeapSize",
                  state->device->ordinal,
                  state->params.heap ? "keeps its heap" : "returns null, or is not checked in linked code",
                  (unsigned long long)limit, gasan_status_text(status), status.driver_error);
  return false;
}

bool gasan_heap_create(struct gasan_rt_device *state) {
  return !state->params.heap && make_heap(state);
}

bool gasan_heap_is_used(struct gasan_rt_device *state) {
  struct gasan_heap heap;
  return read_heap(state, &heap) && (heap.used || heap.next_page || heap.ring_next);
}

bool gasan_heap_resize(struct gasan_rt_device *state) {
  return state->params.heap && gasan_ok(gasan_rt_synchronize(state)) && !gasan_heap_is_used(state) && make_heap(state);
}

/* Searches like the device (gasan_rt/kernel/heap_allocator.h), in steps that read few bytes. */
static bool find_chunk(struct gasan_rt_device *state, const struct gasan_heap *heap, uint64_t address,
                       uint64_t *chunk) {
  uint64_t offset = address - heap->chunks;
  uint64_t page = offset >> GASAN_HEAP_PAGE_SHIFT;
  uint32_t word = 0, in_page = 0;
  if (page >= heap->pages || !read_at(state, &word, heap->words + page * sizeof word, sizeof word))
    return false;
  uint32_t value = word >> GASAN_HEAP_VALUE_SHIFT;
  switch (word & GASAN_HEAP_KIND_MASK) {
  case GASAN_HEAP_SLAB:
    in_page = gasan_heap_unit_of(&heap->classes[value], (uint32_t)(offset % GASAN_HEAP_PAGE));
    break;
  case GASAN_HEAP_HEAD:
    break;
  case GASAN_HEAP_REST:
    page -= value;
    if (!read_at(state, &word, heap->words + page * sizeof word, sizeof word) || !gasan_heap_is_head_of(word, value))
      return false;
    break;
  default:
    return false;
  }
  *chunk = heap->chunks + (page << GASAN_HEAP_PAGE_SHIFT) + in_page;
  return true;
}

bool gasan_heap_lookup(struct gasan_rt_device *state, uint64_t address, struct gasan_heap_found *found) {
  struct gasan_heap heap;
  uint64_t chunk = 0;
  if (!read_heap(state, &heap) || !find_chunk(state, &heap, address, &chunk) ||
      !read_at(state, &found->chunk, chunk, sizeof found->chunk) || found->chunk.state == GASAN_HEAP_NEVER)
    return false;
  found->base = chunk + found->chunk.offset;
  return true;
}

struct walk {
  struct gasan_rt_device *state;
  struct gasan_heap heap;
  void (*visit)(const struct gasan_heap_chunk *chunk, void *context);
  void *context;
};

static void visit_live(const struct walk *walk, const void *memory) {
  const struct gasan_heap_chunk *chunk = memory;
  if (chunk->state == GASAN_HEAP_LIVE)
    walk->visit(chunk, walk->context);
}

static void walk_page(const struct walk *walk, uint64_t page, uint32_t word) {
  _Alignas(struct gasan_heap_chunk) char bytes[GASAN_HEAP_PAGE];
  uint32_t kind = word & GASAN_HEAP_KIND_MASK;
  if (!(word & GASAN_HEAP_TAKEN) || (kind != GASAN_HEAP_SLAB && kind != GASAN_HEAP_HEAD) ||
      !read_at(walk->state, bytes, walk->heap.chunks + (page << GASAN_HEAP_PAGE_SHIFT), sizeof bytes))
    return;
  if (kind == GASAN_HEAP_HEAD) {
    visit_live(walk, bytes);
    return;
  }
  const struct gasan_heap_class *size_class = &walk->heap.classes[word >> GASAN_HEAP_VALUE_SHIFT];
  for (uint32_t i = 0; i < size_class->units; i++)
    visit_live(walk, bytes + i * size_class->unit);
}

void gasan_heap_each_live(struct gasan_rt_device *state,
                          void (*visit)(const struct gasan_heap_chunk *chunk, void *context), void *context) {
  struct walk walk = {.state = state, .visit = visit, .context = context};
  if (!read_heap(state, &walk.heap) || !walk.heap.used)
    return;
  uint32_t *words = malloc(walk.heap.pages * sizeof *words);
  if (words && read_at(state, words, walk.heap.words, walk.heap.pages * sizeof *words))
    for (uint64_t page = 0; page < walk.heap.pages; page++)
      walk_page(&walk, page, words[page]);
  free(words);
}

void gasan_heap_reset(struct gasan_rt_device *state) {
  struct gasan_heap heap;
  if (!read_heap(state, &heap))
    return;
  heap.used = heap.next_page = heap.ring_next = 0;
  struct gasan_status status = clear_arena(state, state->params.heap, &heap);
  if (!gasan_ok(status) && status.code != GASAN_ERR_DEVICE)
    gasan_rt_warn("the device heap keeps its chunks after cudaDeviceReset (%s, driver error %d)",
                  gasan_status_text(status), status.driver_error);
}
