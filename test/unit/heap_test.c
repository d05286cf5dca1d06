/* The allocator of the device heap (gasan_rt/kernel/heap_allocator.h), compiled for the host, with threads in place of
 * a GPU's lanes. */
#define _GNU_SOURCE
#include "gasan_rt/kernel/heap_allocator.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"

#define ARENA (4u << 20)
#define LIMIT (2u << 20)
#define THREADS 8
#define ROUNDS 20000
#define KEPT 64

static struct gasan_heap *make_heap(uint64_t size, uint64_t limit) {
  void *arena = aligned_alloc(4096, size);
  memset(arena, 0, size);
  struct gasan_heap *heap = arena;
  struct gasan_heap layout = {.limit = limit};
  if (!gasan_heap_layout((uintptr_t)arena, size, &layout))
    abort();
  *heap = layout;
  return heap;
}

static uint64_t take_aligned(struct gasan_heap *heap, uint64_t size, uint64_t alignment, uint32_t first) {
  struct gasan_heap_chunk *chunk = gasan_heap_allocate(heap, size, alignment, first);
  if (!chunk)
    return 0;
  chunk->allocated.order = first;
  return gasan_heap_publish(chunk);
}

static uint64_t take(struct gasan_heap *heap, uint64_t size) {
  return take_aligned(heap, size, GASAN_HEAP_ALIGNMENT, 0);
}

/* Frees like `free`. Returns false if this is not the start of a live chunk. */
static bool give(struct gasan_heap *heap, uint64_t address) {
  struct gasan_heap_chunk *chunk = gasan_heap_contains(heap, address) ? gasan_heap_find(heap, address) : NULL;
  if (!chunk || gasan_heap_base(chunk) != address || !gasan_heap_end(chunk))
    return false;
  chunk->freed.order = 1;
  gasan_heap_put_back(heap, chunk);
  return true;
}

static struct gasan_heap_chunk *found(struct gasan_heap *heap, uint64_t address) {
  return gasan_heap_contains(heap, address) ? gasan_heap_find(heap, address) : NULL;
}

TEST every_address_finds_its_chunk(void) {
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  for (uint64_t size = 0; size < 40000; size = size < 200 ? size + 1 : size + size / 7) {
    uint64_t base = take(heap, size);
    ASSERT(base);
    ASSERT_EQ(0, base % GASAN_HEAP_ALIGNMENT);
    struct gasan_heap_chunk *chunk = (struct gasan_heap_chunk *)base - 1;
    ASSERT_EQ(size, chunk->size);
    /* From the chunk's own struct to the first byte after it. */
    for (uint64_t offset = 0; offset <= sizeof *chunk + size; offset++)
      ASSERT_EQ(chunk, found(heap, (uintptr_t)chunk + offset));
    memset((void *)base, 0xa5, size);
    ASSERT_EQ(GASAN_HEAP_LIVE, chunk->state);
    ASSERT(give(heap, base));
    ASSERT_EQ(chunk, found(heap, base + size));
    ASSERT_EQ(GASAN_HEAP_FREED, chunk->state);
  }
  ASSERT_EQ(0, heap->used);
  free(heap);
  PASS();
}

TEST an_address_that_no_chunk_had_finds_none(void) {
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  ASSERT_EQ(NULL, found(heap, heap->chunks));
  ASSERT_FALSE(gasan_heap_contains(heap, heap->chunks - 1));
  ASSERT_FALSE(gasan_heap_contains(heap, heap->chunks + ((uint64_t)heap->pages << GASAN_HEAP_PAGE_SHIFT)));
  uint64_t base = take(heap, 10);
  struct gasan_heap_chunk *chunk = found(heap, base);
  uint32_t unit = heap->classes[0].unit;
  ASSERT_EQ(NULL, found(heap, (uintptr_t)chunk + unit));
  ASSERT_EQ(NULL, found(heap, (uintptr_t)chunk + GASAN_HEAP_PAGE));
  free(heap);
  PASS();
}

TEST alignments_are_kept(void) {
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  for (uint64_t alignment = 1; alignment <= 1 << 17; alignment *= 2) {
    uint64_t base = take_aligned(heap, 100, alignment, 0);
    ASSERT(base);
    ASSERT_EQ(0, base % alignment);
    ASSERT_EQ(base, gasan_heap_base(found(heap, base + 100)));
    ASSERT_EQ(found(heap, base), found(heap, base + 100));
    ASSERT(give(heap, base));
  }
  ASSERT_EQ(0, take_aligned(heap, 100, (uint64_t)1 << 40, 0));
  ASSERT_EQ(0, heap->used);
  free(heap);
  PASS();
}

TEST what_is_no_live_chunks_beginning_is_not_freed(void) {
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  uint64_t base = take(heap, 100);
  ASSERT_FALSE(give(heap, base + 16));
  ASSERT_FALSE(give(heap, base - 16));
  ASSERT(give(heap, base));
  ASSERT_FALSE(give(heap, base));
  free(heap);
  PASS();
}

TEST the_limit_is_kept(void) {
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  ASSERT_EQ(0, take(heap, LIMIT + 1));
  ASSERT_EQ(0, take(heap, ~(uint64_t)0));
  ASSERT_EQ(0, take(heap, ~(uint64_t)0 - 15));
  uint64_t whole = take(heap, LIMIT);
  ASSERT(whole);
  ASSERT_EQ(0, take(heap, 1));
  ASSERT(give(heap, whole));
  /* Several times, although the quarantine has no room for two of them. */
  for (int i = 0; i < 20; i++) {
    whole = take(heap, LIMIT);
    ASSERT(whole);
    ASSERT(give(heap, whole));
  }
  ASSERT_EQ(0, heap->used);
  free(heap);
  PASS();
}

static uint32_t taken_pages(const struct gasan_heap *heap) {
  uint32_t taken = 0;
  for (uint32_t page = 0; page < heap->pages; page++)
    taken += ((const uint32_t *)heap->words)[page] & GASAN_HEAP_TAKEN;
  return taken;
}

TEST empty_pages_are_given_back(void) {
  enum { WAVES = 60, CHUNKS = 1500 };
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  static uint64_t chunks[CHUNKS];
  for (int wave = 0; wave < WAVES; wave++) {
    for (uint32_t i = 0; i < CHUNKS; i++)
      ASSERT((chunks[i] = take_aligned(heap, 16, GASAN_HEAP_ALIGNMENT, i)));
    for (int i = 0; i < CHUNKS; i++)
      ASSERT(give(heap, chunks[i]));
  }
  /* Chunks in the quarantine, and the slabs of the places. */
  uint32_t kept = heap->ring_size / heap->classes[0].units + heap->place_count;
  ASSERT(taken_pages(heap) <= 2 * kept + CHUNKS / heap->classes[0].units);
  free(heap);
  PASS();
}

TEST warps_have_slabs_of_their_own(void) {
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  ASSERT(heap->place_count > 1);
  uint64_t first = take_aligned(heap, 16, GASAN_HEAP_ALIGNMENT, 0),
           same = take_aligned(heap, 16, GASAN_HEAP_ALIGNMENT, 31);
  uint64_t other = take_aligned(heap, 16, GASAN_HEAP_ALIGNMENT, 32);
  ASSERT_EQ(first / GASAN_HEAP_PAGE, same / GASAN_HEAP_PAGE);
  ASSERT(first / GASAN_HEAP_PAGE != other / GASAN_HEAP_PAGE);
  free(heap);
  PASS();
}

TEST pages_change_their_use(void) {
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  static uint64_t small[LIMIT / 512];
  for (int round = 0; round < 4; round++) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof small / sizeof *small; i++)
      if ((small[count] = take(heap, round % 2 ? 500 : 20)))
        count++;
    ASSERT_EQ(sizeof small / sizeof *small, count);
    for (uint32_t i = 0; i < count; i++)
      ASSERT(give(heap, small[i]));
    uint64_t large = take(heap, LIMIT);
    ASSERT(large);
    memset((void *)large, 0xa5, LIMIT);
    ASSERT(give(heap, large));
  }
  free(heap);
  PASS();
}

TEST freed_chunks_wait(void) {
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  uint64_t first = take(heap, 24);
  ASSERT(give(heap, first));
  for (uint32_t i = 1; i < heap->ring_size; i++) {
    uint64_t other = take(heap, 24);
    ASSERT(other != first);
    ASSERT(give(heap, other));
    ASSERT_EQ(GASAN_HEAP_FREED, found(heap, first)->state);
  }
  free(heap);
  PASS();
}

/* Random sizes in random order: live chunks keep their bytes and do not overlap. */
struct worker {
  struct gasan_heap *heap;
  uint32_t number;
  uint64_t failures;
};

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static uint64_t some_size(uint64_t *random) {
  uint64_t kind = next(random) % 100;
  return next(random) % (kind < 80 ? 200 : kind < 97 ? 5000 : 60000);
}

static void *work(void *argument) {
  struct worker *worker = argument;
  uint64_t random = 0x9e3779b97f4a7c15u * (worker->number + 1);
  struct {
    uint64_t base, size;
  } kept[KEPT] = {{0}};
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t place = next(&random) % KEPT;
    unsigned char mark = (unsigned char)(worker->number * KEPT + place);
    uint64_t base = kept[place].base, size = kept[place].size;
    if (base) {
      for (uint64_t i = 0; i < size; i++)
        if (((unsigned char *)base)[i] != mark)
          abort();
      struct gasan_heap_chunk *chunk = gasan_heap_find(worker->heap, base + (size ? next(&random) % size : 0));
      if (!chunk || gasan_heap_base(chunk) != base || GASAN_HEAP_LOAD(&chunk->size) != size ||
          GASAN_HEAP_LOAD(&chunk->state) != GASAN_HEAP_LIVE || chunk->allocated.order != worker->number)
        abort();
      if (!give(worker->heap, base))
        abort();
      kept[place].base = 0;
      continue;
    }
    size = some_size(&random);
    base = take_aligned(worker->heap, size, (uint64_t)16 << next(&random) % 4, worker->number);
    worker->failures += !base;
    if (base)
      memset((void *)base, mark, size);
    kept[place].base = base;
    kept[place].size = size;
  }
  for (int place = 0; place < KEPT; place++)
    if (kept[place].base && !give(worker->heap, kept[place].base))
      abort();
  return NULL;
}

static enum greatest_test_res run_threads(uint64_t arena, uint64_t limit, bool may_fail) {
  struct gasan_heap *heap = make_heap(arena, limit);
  struct worker workers[THREADS];
  pthread_t threads[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    workers[i] = (struct worker){heap, i, 0};
    ASSERT_EQ(0, pthread_create(&threads[i], NULL, work, &workers[i]));
  }
  uint64_t failures = 0;
  for (uint32_t i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    failures += workers[i].failures;
  }
  ASSERT_EQ(0, heap->used);
  ASSERT(may_fail || !failures);
  /* Nothing was lost. */
  uint64_t whole = take(heap, limit);
  ASSERT(whole);
  ASSERT(give(heap, whole));
  gasan_heap_drain(heap);
  for (uint32_t page = 0; page < heap->pages; page++)
    ASSERT_FALSE(*gasan_heap_word(heap, page) & GASAN_HEAP_TAKEN);
  free(heap);
  PASS();
}

TEST threads_do_not_meet(void) {
  CHECK_CALL(run_threads(64u << 20, 16u << 20, false));
  PASS();
}

/* The quarantine is emptied all the time. */
TEST threads_do_not_meet_where_room_is_short(void) {
  CHECK_CALL(run_threads(5u << 20, 3u << 20, true));
  PASS();
}

struct racer {
  struct gasan_heap *heap;
  uint64_t *chunks;
  pthread_barrier_t *start;
  uint32_t freed;
};

static void *race(void *argument) {
  struct racer *racer = argument;
  pthread_barrier_wait(racer->start);
  for (int i = 0; i < 1000; i++)
    racer->freed += give(racer->heap, racer->chunks[i]);
  return NULL;
}

TEST one_of_many_frees_wins(void) {
  struct gasan_heap *heap = make_heap(ARENA, LIMIT);
  static uint64_t chunks[1000];
  for (int i = 0; i < 1000; i++)
    ASSERT((chunks[i] = take(heap, 40)));
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, THREADS);
  struct racer racers[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    racers[i] = (struct racer){heap, chunks, &start, 0};
    ASSERT_EQ(0, pthread_create(&threads[i], NULL, race, &racers[i]));
  }
  uint32_t freed = 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    freed += racers[i].freed;
  }
  ASSERT_EQ(1000, freed);
  ASSERT_EQ(0, heap->used);
  pthread_barrier_destroy(&start);
  free(heap);
  PASS();
}

TEST too_small_an_arena_is_refused(void) {
  struct gasan_heap heap;
  ASSERT_FALSE(gasan_heap_layout(4096, 4096, &heap));
  ASSERT(gasan_heap_layout(4096, 1 << 20, &heap));
  ASSERT(heap.chunks + ((uint64_t)heap.pages << GASAN_HEAP_PAGE_SHIFT) <= 4096 + (1 << 20));
  PASS();
}

SUITE(heap) {
  RUN_TEST(every_address_finds_its_chunk);
  RUN_TEST(an_address_that_no_chunk_had_finds_none);
  RUN_TEST(alignments_are_kept);
  RUN_TEST(what_is_no_live_chunks_beginning_is_not_freed);
  RUN_TEST(the_limit_is_kept);
  RUN_TEST(empty_pages_are_given_back);
  RUN_TEST(warps_have_slabs_of_their_own);
  RUN_TEST(pages_change_their_use);
  RUN_TEST(freed_chunks_wait);
  RUN_TEST(threads_do_not_meet);
  RUN_TEST(threads_do_not_meet_where_room_is_short);
  RUN_TEST(one_of_many_frees_wins);
  RUN_TEST(too_small_an_arena_is_refused);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_SUITE(heap);
  GREATEST_MAIN_END();
}
