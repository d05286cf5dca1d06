/* BST mode (cucatch 3.2): the bounds of the object that a pointer belongs to, and what happens at an access outside of them. */
#include "gasan_rt/kernel/device.h"
#include "gasan_rt/kernel/heap.h"
#include "shadow/bounds.h"

GASAN_INLINE struct gasan_bounds gasan_not_checked(void) {
  return gasan_bounds_make(0, ~(uint64_t)0, GASAN_OBJECT_MEMORY);
}

GASAN_INLINE void gasan_count_unknown(void) {
  struct gasan_lookup_counters *counters = (struct gasan_lookup_counters *)__gasan_params.counters;
  if (counters)
    __scoped_atomic_fetch_add(&counters->unknown, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* The host changes tables while kernels run: each word is read once. */
GASAN_INLINE uint32_t gasan_find_entry(uint64_t offset) {
  uint64_t word = ((const volatile gasan_page_word *)__gasan_params.page_map)[offset >> GASAN_MAP_PAGE_SHIFT];
  if (!(word & 1))
    return (uint32_t)(word >> 1);
  const volatile struct gasan_block_table *table =
      (const volatile struct gasan_block_table *)__gasan_params.block_tables + (word >> 1);
  return table->entries[(offset >> GASAN_MAP_BLOCK_SHIFT) % GASAN_MAP_BLOCKS];
}

GASAN_INLINE struct gasan_bounds gasan_pool_bounds(uint64_t pointer) {
  uint32_t index = gasan_find_entry(pointer - __gasan_params.window_base);
  if (index < GASAN_BST_FIRST)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_WILD);
  const volatile struct gasan_bst_entry *entry = (const volatile struct gasan_bst_entry *)__gasan_params.bst + index;
  return gasan_bounds_make(entry->base, entry->size, GASAN_OBJECT_MEMORY);
}

/* Of the ranges that begin at or below the pointer the last one, if the pointer is not beyond what is its. */
GASAN_INLINE struct gasan_bounds gasan_foreign_bounds(uint64_t pointer) {
  const volatile struct gasan_foreign_table *table = (const volatile struct gasan_foreign_table *)__gasan_params.foreign;
  uint64_t low = 0, high = table ? table->count : 0;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (table->entries[middle].base <= pointer)
      low = middle + 1;
    else
      high = middle;
  }
  if (low > 0 && pointer <= table->entries[low - 1].end)
    return gasan_bounds_make(table->entries[low - 1].base, table->entries[low - 1].size, GASAN_OBJECT_MEMORY);
  gasan_count_unknown();
  return gasan_not_checked();
}

GASAN_INLINE bool gasan_in_heap(uint64_t pointer) {
  const struct gasan_heap *heap = (const struct gasan_heap *)__gasan_params.heap;
  return heap && gasan_heap_contains(heap, pointer);
}

extern "C" {

GASAN_NOINLINE struct gasan_bounds __gasan_bounds_heap(uint64_t address);

/* Of a pointer into global memory, or null. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_global(uint64_t pointer) {
  if (gasan_in_heap(pointer))
    return __gasan_bounds_heap(pointer);
  if (!__gasan_params.page_map)
    return gasan_not_checked();
  if (gasan_in_window(pointer))
    return gasan_pool_bounds(pointer);
  if (pointer < GASAN_NULL_PAGE)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_NULL);
  return gasan_foreign_bounds(pointer);
}

/* Of a generic pointer. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds(uint64_t pointer) {
  if (__nvvm_isspacep_shared((const void *)pointer) || __nvvm_isspacep_local((const void *)pointer) ||
      __nvvm_isspacep_const((const void *)pointer))
    return gasan_not_checked();
  return __gasan_bounds_global(pointer);
}

}
