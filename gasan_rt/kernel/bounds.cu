/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* BST mode (cucatch 3.2): finds the bounds of a pointer's object, and reports accesses outside them. */
#include "gasan_rt/kernel/device_code.h"
#include "gasan_rt/kernel/heap_allocator.h"
#include "gasan_rt/kernel/local_bounds.h"
#include "shadow/bounds.h"
#include "shadow/tags.h"

typedef uint64_t gasan_two_words __attribute__((ext_vector_type(2)));
/* A gasan_block_word as two 32-bit halves. */
typedef uint32_t gasan_two_halves __attribute__((ext_vector_type(2)));

struct gasan_found {
  uint64_t base, size;
};

GASAN_INLINE void gasan_count_unknown(void) {
  struct gasan_counters *counters = (struct gasan_counters *)__gasan_params.counters;
  if (counters)
    __scoped_atomic_fetch_add(&counters->unknown, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* Returns the number of the address's present table entry, for code with tags. */
GASAN_INLINE uint32_t gasan_entry_of(uint64_t address) {
  return gasan_entry_map_find((const volatile gasan_page_word *)__gasan_params.entry_map,
                              (const volatile struct gasan_entry_table *)__gasan_params.entry_tables,
                              address - __gasan_params.window_base);
}

GASAN_INLINE const volatile struct gasan_bst_entry *gasan_entry_at(uint32_t index) {
  return (const volatile struct gasan_bst_entry *)__gasan_params.bst + index;
}

GASAN_INLINE struct gasan_bounds gasan_mapped_bounds(uint64_t pointer) {
  if (__gasan_params.page_map) {
    struct gasan_page_map map = {(const volatile struct gasan_page *)__gasan_params.page_map,
                                 (const volatile struct gasan_block_table *)__gasan_params.block_tables,
                                 __gasan_params.window_base, __gasan_params.window_size};
    return gasan_page_map_find(&map, pointer);
  }
  uint32_t index = gasan_entry_of(pointer);
  if (index < GASAN_BST_FIRST)
    return gasan_nothing_there();
  return gasan_bounds_make(gasan_entry_at(index)->base, gasan_entry_at(index)->size, GASAN_OBJECT_MEMORY);
}

/* Finds bounds with GASAN_OPTIONS=lookup=tree and lookup=list. */
GASAN_NOINLINE struct gasan_bounds __gasan_searched_bounds(uint64_t pointer) {
  struct gasan_bounds bounds;
  switch (gasan_ranges_search((const volatile struct gasan_range_table *)__gasan_params.search, pointer,
                              __gasan_params.lookup == GASAN_LOOKUP_LIST, &bounds)) {
  case GASAN_SEARCH_FOUND:
    return bounds;
  case GASAN_SEARCH_NOTHING:
    return gasan_nothing_there();
  case GASAN_SEARCH_CHANGING:
    break;
  }
  return gasan_not_checked();
}

/* Finds bounds in a block whose pointers have different bounds: of regions of a sub-allocator. The host writes the
 * table first, and then the ranges, so a pointer may have no range yet. */
GASAN_NOINLINE struct gasan_bounds __gasan_region_bounds(uint64_t pointer) {
  const volatile struct gasan_range_table *table = (const volatile struct gasan_range_table *)__gasan_params.foreign;
  struct gasan_bounds bounds;
  if (table && gasan_ranges_search(table, pointer, false, &bounds) == GASAN_SEARCH_FOUND)
    return bounds;
  return gasan_not_checked();
}

GASAN_INLINE struct gasan_bounds gasan_pool_bounds(uint64_t pointer) {
  if (__gasan_params.lookup != GASAN_LOOKUP_PAGEMAP)
    return __gasan_searched_bounds(pointer);
  struct gasan_bounds bounds = gasan_mapped_bounds(pointer);
  return bounds.object == GASAN_OBJECT_REGIONS ? __gasan_region_bounds(pointer) : bounds;
}

GASAN_INLINE struct gasan_bounds gasan_foreign_bounds(uint64_t pointer, uint32_t site) {
  const volatile struct gasan_range_table *table = (const volatile struct gasan_range_table *)__gasan_params.foreign;
  struct gasan_bounds bounds;
  if (table && gasan_ranges_search(table, pointer, false, &bounds) == GASAN_SEARCH_FOUND)
    return bounds;
  gasan_count_unknown();
  __gasan_note_unknown(pointer, site);
  return gasan_unknown_bounds();
}

GASAN_INLINE bool gasan_in_heap(uint64_t pointer) {
  const struct gasan_heap *heap = (const struct gasan_heap *)__gasan_params.heap;
  return heap && gasan_heap_contains(heap, pointer);
}

GASAN_INLINE bool gasan_has_tag(uint64_t pointer) {
  return __gasan_params.flags & GASAN_FLAG_TAGS && gasan_tag_of(pointer) != 0;
}

/* Returns the bounds of a tagged pointer. The base gets the same tag, so that differences from it are offsets. Reads
 * bypass the caches, because a running kernel may get a new pointer. */
GASAN_INLINE struct gasan_bounds gasan_tagged_bounds(uint64_t pointer) {
  uint32_t tag = gasan_tag_of(pointer), index = gasan_tag_entry(tag);
  uint64_t address = gasan_tag_strip(pointer);
  bool direct = index != GASAN_BST_UNKNOWN;
  if (!direct && gasan_in_window(address))
    index = gasan_entry_of(address);
  if (index < GASAN_BST_FIRST)
    return gasan_nothing_there();
  const volatile struct gasan_bst_entry *entry = gasan_entry_at(index);
  uint64_t base = entry->base, size = entry->size;
  return gasan_bounds_make(gasan_tag_put(base, tag), direct || entry->tag == tag ? size : 0, GASAN_OBJECT_MEMORY);
}

/* The start of dynamic shared memory. gasan_pass gives it the strictest alignment of the module's dynamic arrays. */
extern "C" __attribute__((shared)) char __gasan_dynamic_shared[];

/* The LLVM intrinsics for which clang has no builtins. */
extern "C" GASAN_DEVICE uint32_t gasan_dynamic_size(void) __asm__("llvm.nvvm.read.ptx.sreg.dynamic_smem_size");
extern "C" GASAN_DEVICE uint32_t gasan_total_size(void) __asm__("llvm.nvvm.read.ptx.sreg.total_smem_size");

/* Returns the bounds of the block's shared memory as a whole. Static variables lie below the dynamic region. The
 * hardware rounds the total size, so the size of the static part is rounded up; no other memory is there. */
GASAN_INLINE struct gasan_bounds gasan_shared_bounds(void) {
  uint64_t dynamic = gasan_dynamic_size();
  uint64_t others = (gasan_total_size() - dynamic + 1023) / 1024 * 1024;
  return gasan_bounds_make((uint64_t)__gasan_dynamic_shared - others, others + dynamic, GASAN_OBJECT_SHARED);
}

/* Returns the upper half of the pointer's distance from the window's start. The upper half tells whether the pointer is
 * in the window, whatever its tag. */
GASAN_INLINE uint32_t gasan_window_high(uint64_t pointer) {
  return (uint32_t)(pointer >> 32) - __gasan_params.window_base_high;
}

extern "C" {

GASAN_NOINLINE struct gasan_bounds __gasan_bounds_heap(uint64_t address);
GASAN_COLD void __gasan_report_bounds_aligned(uint64_t address, uint64_t size, uint32_t site, uint64_t base,
                                              uint64_t bounds_size, uint32_t object, uint32_t alignment);

GASAN_INLINE void gasan_check(struct gasan_bounds bounds, uint64_t address, uint32_t width, uint32_t alignment,
                              uint32_t site) {
  if (!gasan_bounds_allow(bounds, address, width) || (address & (alignment - 1)))
    __gasan_report_bounds_aligned(address, width, site, bounds.base, bounds.size, bounds.object, alignment);
}

/* Returns whether the host has filled the tables of bounds: not in a program in shadow mode. */
GASAN_INLINE bool gasan_has_tables(void) {
  return __gasan_params.window_size && (__gasan_params.page_map || __gasan_params.entry_map);
}

/* Returns the bounds of a pointer, and does not record a pointer to no known memory: bounds of all addresses. */
GASAN_INLINE struct gasan_bounds gasan_known_bounds(uint64_t pointer) {
  const volatile struct gasan_range_table *table = (const volatile struct gasan_range_table *)__gasan_params.foreign;
  struct gasan_bounds bounds;
  if (gasan_in_heap(pointer))
    return __gasan_bounds_heap(pointer);
  if (!gasan_has_tables())
    return gasan_not_checked();
  if (gasan_has_tag(pointer))
    return gasan_tagged_bounds(pointer);
  if (__nvvm_isspacep_shared((const void *)pointer))
    return gasan_shared_bounds();
  if (__nvvm_isspacep_local((const void *)pointer) || __nvvm_isspacep_const((const void *)pointer))
    return gasan_not_checked();
  if (gasan_in_window(pointer))
    return gasan_pool_bounds(pointer);
  if (pointer < GASAN_NULL_PAGE)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_NULL);
  if (table && gasan_ranges_search(table, pointer, false, &bounds) == GASAN_SEARCH_FOUND)
    return bounds;
  return gasan_unknown_bounds();
}

GASAN_INLINE uint64_t gasan_first_outside(uint64_t address, uint64_t size) {
  for (uint64_t at = address; at - address < size;) {
    struct gasan_bounds bounds = gasan_known_bounds(at);
    if (at - bounds.base >= bounds.size)
      return at;
    at = bounds.base + bounds.size;
  }
  return 0;
}

/* Returns whether the bounds are those of live memory of the pool or of the device heap with the address. */
GASAN_INLINE bool gasan_is_heap(struct gasan_bounds bounds, uint64_t address) {
  return address - bounds.base < bounds.size &&
         (gasan_in_heap(address) || gasan_has_tag(address) || (gasan_has_tables() && gasan_in_window(address)));
}

/* The next functions are the lookup that gasan_pass inlines at each lookup of a pointer
 * (gasan_pass/instrument/bst/Lookups.h).
 *
 * Returns true for an untagged pointer into a window that has a page map. */
GASAN_INLINED bool __gasan_is_mapped(uint64_t pointer) {
  return gasan_window_high(pointer) < __gasan_params.mapped_high;
}

/* Returns the number of a mapped pointer's page. */
GASAN_INLINED uint32_t __gasan_page_of(uint64_t pointer) {
  return gasan_window_high(pointer) << (32 - GASAN_MAP_PAGE_SHIFT) | (uint32_t)pointer >> GASAN_MAP_PAGE_SHIFT;
}

/* Returns the map's entry for the page, a struct gasan_page, through the caches. Uses plain loads, because all threads
 * read the same few words: loads that bypass the L1 cache queue at one slice of the L2. */
GASAN_INLINED struct gasan_found __gasan_find_page(uint32_t page) {
  uint64_t address = __gasan_params.page_map + (uint64_t)page * sizeof(struct gasan_page);
  gasan_two_words words = *(const GASAN_GLOBAL gasan_two_words *)address;
  struct gasan_found found = {words.x, words.y};
  return found;
}

/* Returns nonzero if a page with this base leads to one live chunk. */
GASAN_INLINED uint32_t __gasan_is_chunk(uint64_t base) {
  return gasan_page_is_chunk(base);
}

/* Returns the bounds from the page's block table. Size 0 means that the slow lookup must decide: memory that looks
 * freed or unknown may have been allocated after the caches were filled, and a running kernel may have got its
 * pointer. */
GASAN_INLINED struct gasan_found __gasan_find_block(uint64_t pointer, uint32_t table) {
  uint64_t offset = (pointer >> GASAN_MAP_BLOCK_SHIFT) % GASAN_MAP_BLOCKS * sizeof(gasan_block_word);
  uint64_t address = __gasan_params.block_tables + (uint64_t)table * sizeof(struct gasan_block_table) + offset;
  gasan_two_halves halves = *(const GASAN_GLOBAL gasan_two_halves *)address;
  struct gasan_found found = {__gasan_params.window_base + ((uint64_t)halves.x << GASAN_MAP_BLOCK_SHIFT), halves.y};
  return found;
}

/* Returns the number of the pointer's block in the window; a page has GASAN_MAP_BLOCKS blocks. For checks that do not
 * keep the bounds. */
GASAN_INLINED uint32_t __gasan_block_of(uint64_t pointer) {
  return gasan_window_high(pointer) << (32 - GASAN_MAP_BLOCK_SHIFT) | (uint32_t)pointer >> GASAN_MAP_BLOCK_SHIFT;
}

/* Returns the bounds from page and block table, if the pages did not decide all lookups of a group; size 0 as above.
 * Reads the page again, through a generic pointer, so that compilers do not keep it in registers until then. */
GASAN_INLINED struct gasan_found __gasan_find_again(uint32_t block) {
  uint64_t page = block / GASAN_MAP_BLOCKS;
  gasan_two_words words = *(const gasan_two_words *)(__gasan_params.page_map + page * sizeof(struct gasan_page));
  bool chunk = gasan_page_is_chunk(words.x) != 0;
  struct gasan_found found =
      __gasan_find_block((uint64_t)block << GASAN_MAP_BLOCK_SHIFT, chunk ? GASAN_NO_BLOCK_TABLE : (uint32_t)words.x);
  if (chunk)
    found.base = words.x, found.size = words.y;
  return found;
}

/* Returns true if an unmapped pointer is null, for which the lookup would return the bounds of null. */
GASAN_INLINED bool __gasan_is_null(uint64_t pointer) {
  return pointer < GASAN_NULL_PAGE && __gasan_params.window_size;
}

/* `site`, here and below: the site of the access for which the pointer is looked up. */

/* Returns the present bounds of a pointer into global memory, or of null. Reads the tables and bypasses the caches. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_global_now(uint64_t pointer, uint32_t site) {
  if (gasan_in_heap(pointer))
    return __gasan_bounds_heap(pointer);
  if (!__gasan_params.window_size)
    return gasan_not_checked();
  if (gasan_has_tag(pointer))
    return gasan_tagged_bounds(pointer);
  if (gasan_in_window(pointer))
    return gasan_pool_bounds(pointer);
  if (pointer < GASAN_NULL_PAGE)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_NULL);
  return gasan_foreign_bounds(pointer, site);
}

/* Does the same, but first through the caches: the group may have taken the slow path because of other lookups. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_global_any(uint64_t pointer, uint32_t site) {
  if (__gasan_is_mapped(pointer)) {
    struct gasan_found found = __gasan_find_page(__gasan_page_of(pointer));
    if (!gasan_page_is_chunk(found.base))
      found = __gasan_find_block(pointer, (uint32_t)found.base);
    if (found.size)
      return gasan_bounds_make(found.base, found.size, GASAN_OBJECT_MEMORY);
  }
  return __gasan_bounds_global_now(pointer, site);
}

/* Returns the bounds of a generic pointer. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_any(uint64_t pointer, uint32_t site) {
  /* Test the heap first, for speed: lists are often in the heap. */
  if (gasan_in_heap(pointer))
    return __gasan_bounds_heap(pointer);
  /* Only pointers into global memory have tags. */
  if (gasan_has_tag(pointer))
    return __gasan_bounds_global_any(pointer, site);
  if (__nvvm_isspacep_shared((const void *)pointer))
    return gasan_shared_bounds();
  if (__nvvm_isspacep_local((const void *)pointer) || __nvvm_isspacep_const((const void *)pointer))
    return gasan_not_checked();
  return __gasan_bounds_global_any(pointer, site);
}

/* Does the same in modules that store addresses of local variables to memory. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_any_with_frames(uint64_t pointer, uint32_t site) {
  if (!gasan_has_tag(pointer) && __nvvm_isspacep_local((const void *)pointer))
    return __gasan_bounds_local(pointer);
  return __gasan_bounds_any(pointer, site);
}

/* Returns the bounds of a pointer that was derived from another pointer, with the given bounds, and lies outside them.
 * If the pointer points to live global memory, returns that memory's bounds: the program may have added the difference
 * of two pointers. In shared and local memory, returns the given bounds, because there an overflow reaches other
 * variables. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_elsewhere(uint64_t pointer, uint32_t site, uint64_t base,
                                                            uint64_t size, uint32_t object) {
  struct gasan_bounds own = gasan_bounds_make(base, size, object);
  if (!gasan_has_tag(pointer) &&
      (__nvvm_isspacep_shared((const void *)pointer) || __nvvm_isspacep_local((const void *)pointer) ||
       __nvvm_isspacep_const((const void *)pointer)))
    return own;
  struct gasan_bounds found = __gasan_bounds_global_any(pointer, site);
  return gasan_bounds_allow(found, pointer, 1) ? found : own;
}

GASAN_INLINED struct gasan_bounds __gasan_relative_bounds(uint64_t pointer, uint32_t site, uint64_t base, uint64_t size,
                                                          uint32_t object) {
  /* The end pointer belongs to the object. */
  if (pointer - base <= size)
    return gasan_bounds_make(base, size, object);
  return __gasan_bounds_elsewhere(pointer, site, base, size, object);
}

/* The next functions check one access with a lookup. They are called if the inlined code of gasan_pass has not found
 * all accesses of a group in bounds, and return if this access is. The pointer is `address - distance`. */

GASAN_COLD_RETURNS void __gasan_check_any(uint64_t distance, uint64_t address, uint32_t width, uint32_t alignment,
                                          uint32_t site) {
  gasan_check(__gasan_bounds_any(address - distance, site), address, width, alignment, site);
}

GASAN_COLD_RETURNS void __gasan_check_global_any(uint64_t distance, uint64_t address, uint32_t width,
                                                 uint32_t alignment, uint32_t site) {
  gasan_check(__gasan_bounds_global_any(address - distance, site), address, width, alignment, site);
}

GASAN_COLD_RETURNS void __gasan_check_any_with_frames(uint64_t distance, uint64_t address, uint32_t width,
                                                      uint32_t alignment, uint32_t site) {
  gasan_check(__gasan_bounds_any_with_frames(address - distance, site), address, width, alignment, site);
}

/* Returns the present size for bounds that were looked up before; 0 if the memory was freed since. Always looks up
 * memory of the device heap. Looks up memory that the host has allocated only with GASAN_FLAG_STRICT_TEMPORAL, because
 * only another stream can free it. */
GASAN_NOINLINE uint64_t __gasan_bounds_now(uint64_t base, uint64_t size) {
  bool heap = gasan_in_heap(base);
  if (!heap && !(__gasan_params.flags & GASAN_FLAG_STRICT_TEMPORAL))
    return size;
  /* The memory was unknown before, or is unknown now. */
  if (!heap && (size == 0 || size >= gasan_unknown_bounds().size))
    return size;
  struct gasan_bounds now = __gasan_bounds_global_now(base, GASAN_SITE_UNKNOWN_READ);
  if (heap)
    return now.size ? size : 0;
  if (now.size >= gasan_unknown_bounds().size)
    return size;
  return now.base != base ? 0 : now.size < size ? now.size : size;
}

/* Returns the value that inline PTX gets for a number that may be an address. This is the untagged address if the
 * number is a tagged pointer into live memory or to its end; else it is the number itself. */
GASAN_NOINLINE uint64_t __gasan_untag(uint64_t value) {
  if (!__gasan_params.window_size || !gasan_has_tag(value))
    return value;
  struct gasan_bounds bounds = gasan_tagged_bounds(value);
  return bounds.size && value - bounds.base <= bounds.size ? gasan_tag_strip(value) : value;
}

/* The functions of gasan/gasan.h for kernels: gasan_pass puts them in the place of the header's, which know nothing.
 * Return the first byte of the range that is not accessible, or 0; and the base and the size of the memory of the pool
 * or of the device heap that has the address, or 0. */
#define GASAN_DEVICE_NAMES(granule, scale)                                                                             \
  GASAN_NOINLINE uint64_t __gasan_device_find_poison_##granule(uint64_t address, uint64_t size) {                      \
    if (gasan_has_tables())                                                                                            \
      return gasan_first_outside(address, size);                                                                       \
    return size ? gasan_first_fault(scale, address, address + size - 1) : 0;                                           \
  }
GASAN_DEVICE_NAMES(8, GASAN_SCALE_8)
GASAN_DEVICE_NAMES(128, GASAN_SCALE_128)
GASAN_DEVICE_NAMES(256, GASAN_SCALE_256)

GASAN_NOINLINE uint64_t __gasan_device_find_base(uint64_t address) {
  struct gasan_bounds bounds = gasan_known_bounds(address);
  return gasan_is_heap(bounds, address) ? bounds.base : 0;
}

GASAN_NOINLINE uint64_t __gasan_device_find_size(uint64_t address) {
  struct gasan_bounds bounds = gasan_known_bounds(address);
  return gasan_is_heap(bounds, address) ? bounds.size : 0;
}
}
