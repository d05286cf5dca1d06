#include "shadow/tables.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/check.h"
#include "shadow/copy.h"
#include "shadow/tags.h"

#define PAGE (1ull << GASAN_MAP_PAGE_SHIFT)
#define BLOCK (1ull << GASAN_MAP_BLOCK_SHIFT)
#define MOST_ENTRIES (1u << 26) /* the host's records of as many chunks fill its memory first */
#define NONE UINT32_MAX
#define SCARCE_END (GASAN_BST_FIRST + GASAN_TAG_DIRECT_COUNT) /* pointers' tags name these, stale ones' too */

/* What the host knows of a BST entry beyond the entry. */
struct slot {
  uint32_t references; /* blocks and page words that lead to it */
  uint32_t next_free;
  bool released;
};

struct gasan_tables {
  struct gasan_device *device;
  uint64_t base, size;
  bool tags;
  struct gasan_copy page_map, bst, blocks;
  pthread_mutex_t lock; /* for everything below and the copies' bytes */
  atomic_bool dirty;    /* written under the lock */
  _Atomic uint64_t epoch; /* likewise */
  struct slot *slots;   /* by entry, lazily backed */
  uint32_t slot_count, slot_most, free_slot, free_scarce_slot;
  uint32_t *next_free_table; /* by table, lazily backed */
  uint32_t table_count, free_table;
};

static void *lazy_array(uint64_t count, size_t element) {
  void *memory = mmap(NULL, count * element, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static uint64_t page_count(const struct gasan_tables *tables) {
  return tables->size / PAGE;
}

/* Every word of the page map is read, also of pages that nothing is in. */
static struct gasan_status open_page_map(struct gasan_tables *tables) {
  uint64_t size = page_count(tables) * sizeof(gasan_page_word);
  struct gasan_status status = gasan_copy_create(&tables->page_map, tables->device, size);
  if (gasan_ok(status))
    status = gasan_extent_grow(&tables->page_map.extent, size);
  if (gasan_ok(status))
    status = tables->device->kind->fill(tables->device, tables->page_map.extent.base, 0, tables->page_map.extent.mapped);
  return status;
}

/* Entries that are read although no chunk has them: those that are no chunk's, and those that a wild pointer's tag names. */
static struct gasan_status open_first_entries(struct gasan_tables *tables) {
  struct gasan_extent *extent = &tables->bst.extent;
  uint64_t count = tables->tags ? SCARCE_END : GASAN_BST_FIRST;
  struct gasan_status status = gasan_extent_grow(extent, count * sizeof(struct gasan_bst_entry));
  if (gasan_ok(status))
    status = tables->device->kind->fill(tables->device, extent->base, 0, extent->mapped);
  return status;
}

static struct gasan_status open_tables(struct gasan_tables *tables) {
  uint64_t most = tables->size / BLOCK;
  tables->slot_most = most < MOST_ENTRIES ? (uint32_t)most : MOST_ENTRIES;
  tables->slots = lazy_array(tables->slot_most, sizeof *tables->slots);
  tables->next_free_table = lazy_array(page_count(tables), sizeof *tables->next_free_table);
  if (!tables->slots || !tables->next_free_table)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  struct gasan_status status = open_page_map(tables);
  if (gasan_ok(status))
    status = gasan_copy_create(&tables->bst, tables->device, tables->slot_most * sizeof(struct gasan_bst_entry));
  if (gasan_ok(status))
    status = gasan_copy_create(&tables->blocks, tables->device, page_count(tables) * sizeof(struct gasan_block_table));
  if (gasan_ok(status))
    status = open_first_entries(tables);
  return status;
}

struct gasan_status gasan_tables_create(struct gasan_device *device, uint64_t base, uint64_t size, bool tags,
                                        struct gasan_tables **tables) {
  GASAN_CHECK(base % PAGE == 0 && size % PAGE == 0 && size > 0);
  struct gasan_tables *created = calloc(1, sizeof *created);
  if (!created)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  created->device = device;
  created->base = base;
  created->size = size;
  created->tags = tags;
  created->slot_count = GASAN_BST_FIRST;
  created->free_slot = created->free_scarce_slot = created->free_table = NONE;
  GASAN_CHECK(pthread_mutex_init(&created->lock, NULL) == 0);
  atomic_init(&created->dirty, false);
  struct gasan_status status = open_tables(created);
  if (gasan_ok(status))
    *tables = created;
  else
    gasan_tables_destroy(created);
  return status;
}

void gasan_tables_destroy(struct gasan_tables *tables) {
  if (!tables)
    return;
  gasan_copy_destroy(&tables->blocks);
  gasan_copy_destroy(&tables->bst);
  gasan_copy_destroy(&tables->page_map);
  if (tables->next_free_table)
    munmap(tables->next_free_table, page_count(tables) * sizeof *tables->next_free_table);
  if (tables->slots)
    munmap(tables->slots, tables->slot_most * sizeof *tables->slots);
  pthread_mutex_destroy(&tables->lock);
  free(tables);
}

void gasan_tables_params(const struct gasan_tables *tables, struct gasan_params *params) {
  params->page_map = tables->page_map.extent.base;
  params->bst = tables->bst.extent.base;
  params->block_tables = tables->blocks.extent.base;
}

static const gasan_page_word *words_of(const struct gasan_tables *tables) {
  return (const void *)tables->page_map.bytes;
}

static const uint32_t *blocks_of(const struct gasan_tables *tables, uint64_t table) {
  return ((const struct gasan_block_table *)tables->blocks.bytes)[table].entries;
}

static void mark_dirty(struct gasan_tables *tables) {
  atomic_fetch_add_explicit(&tables->epoch, 1, memory_order_release);
  atomic_store_explicit(&tables->dirty, true, memory_order_release);
}

static struct gasan_bst_entry *change_entry(struct gasan_tables *tables, uint32_t entry) {
  mark_dirty(tables);
  return gasan_copy_change(&tables->bst, entry, 1, sizeof(struct gasan_bst_entry));
}

static void reuse_slot(struct gasan_tables *tables, uint32_t entry) {
  uint32_t *list = entry < SCARCE_END ? &tables->free_scarce_slot : &tables->free_slot;
  tables->slots[entry] = (struct slot){.next_free = *list};
  *list = entry;
}

static void lead_away(struct gasan_tables *tables, uint32_t entry, uint32_t count) {
  if (entry < GASAN_BST_FIRST)
    return;
  struct slot *slot = &tables->slots[entry];
  GASAN_CHECK(slot->references >= count);
  slot->references -= count;
  if (slot->references == 0 && slot->released)
    reuse_slot(tables, entry);
}

static void lead_to(struct gasan_tables *tables, uint32_t entry, uint32_t count) {
  if (entry >= GASAN_BST_FIRST)
    tables->slots[entry].references += count;
}

/* Neighbouring blocks mostly lead to one entry. */
static void leave_blocks(struct gasan_tables *tables, const uint32_t *blocks, uint32_t count) {
  for (uint32_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && blocks[end] == blocks[first];)
      end++;
    lead_away(tables, blocks[first], end - first);
  }
}

static struct gasan_status take_from(struct gasan_tables *tables, uint32_t *list, uint32_t *entry) {
  if (*list == NONE)
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  *entry = *list;
  *list = tables->slots[*entry].next_free;
  return gasan_status_make(GASAN_OK);
}

static struct gasan_status take_slot(struct gasan_tables *tables, uint32_t *entry) {
  if (tables->free_slot != NONE)
    return take_from(tables, &tables->free_slot, entry);
  struct gasan_status status = gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  if (tables->slot_count < tables->slot_most)
    status = gasan_extent_grow(&tables->bst.extent, (tables->slot_count + 1ull) * sizeof(struct gasan_bst_entry));
  if (!gasan_ok(status))
    return take_from(tables, &tables->free_scarce_slot, entry);
  *entry = tables->slot_count++;
  return status;
}

/* The page is going to lead to several chunks. Which it leads to stays as it is. */
static struct gasan_status divide_page(struct gasan_tables *tables, uint64_t page) {
  gasan_page_word word = words_of(tables)[page];
  if (word & 1)
    return gasan_status_make(GASAN_OK);
  uint32_t table = tables->free_table;
  if (table != NONE) {
    tables->free_table = tables->next_free_table[table];
  } else {
    uint64_t size = (tables->table_count + 1ull) * sizeof(struct gasan_block_table);
    struct gasan_status status = gasan_extent_grow(&tables->blocks.extent, size);
    if (!gasan_ok(status))
      return status;
    table = tables->table_count++;
  }
  uint32_t entry = (uint32_t)(word >> 1);
  uint32_t *blocks = gasan_copy_change(&tables->blocks, table, 1, sizeof(struct gasan_block_table));
  for (uint32_t i = 0; i < GASAN_MAP_BLOCKS; i++)
    blocks[i] = entry;
  lead_to(tables, entry, GASAN_MAP_BLOCKS - 1);
  *(gasan_page_word *)gasan_copy_change(&tables->page_map, page, 1, sizeof word) = (gasan_page_word)table << 1 | 1;
  mark_dirty(tables);
  return gasan_status_make(GASAN_OK);
}

static void unify_page(struct gasan_tables *tables, uint64_t page, uint32_t entry) {
  gasan_page_word word = words_of(tables)[page];
  lead_to(tables, entry, 1);
  if (word & 1) {
    uint32_t table = (uint32_t)(word >> 1);
    leave_blocks(tables, blocks_of(tables, table), GASAN_MAP_BLOCKS);
    tables->next_free_table[table] = tables->free_table;
    tables->free_table = table;
  } else {
    lead_away(tables, (uint32_t)(word >> 1), 1);
  }
  *(gasan_page_word *)gasan_copy_change(&tables->page_map, page, 1, sizeof word) = (gasan_page_word)entry << 1;
}

static void set_blocks(struct gasan_tables *tables, uint64_t page, uint32_t first, uint32_t end, uint32_t entry) {
  gasan_page_word word = words_of(tables)[page];
  GASAN_CHECK(word & 1);
  uint32_t *blocks = gasan_copy_change(&tables->blocks, (word >> 1) * GASAN_MAP_BLOCKS + first, end - first, sizeof *blocks);
  lead_to(tables, entry, end - first);
  leave_blocks(tables, blocks, end - first);
  for (uint32_t i = 0; i < end - first; i++)
    blocks[i] = entry;
}

/* The part of a territory that is in the page, in blocks of the page; whole pages are [0, GASAN_MAP_BLOCKS). */
struct part {
  uint32_t first, end;
};

static struct part part_of(const struct gasan_tables *tables, const struct gasan_territory *territory, uint64_t page) {
  uint64_t start = tables->base + page * PAGE;
  uint64_t low = territory->low > start ? territory->low - start : 0;
  uint64_t high = territory->high - start < PAGE ? territory->high - start : PAGE;
  return (struct part){(uint32_t)(low / BLOCK), (uint32_t)(high / BLOCK)};
}

static bool is_whole(struct part part) {
  return part.first == 0 && part.end == GASAN_MAP_BLOCKS;
}

static uint64_t page_of(const struct gasan_tables *tables, uint64_t address) {
  return (address - tables->base) / PAGE;
}

static void check_territory(const struct gasan_tables *tables, const struct gasan_territory *territory) {
  GASAN_CHECK(territory->low >= tables->base && territory->high - tables->base <= tables->size);
  GASAN_CHECK(territory->low % BLOCK == 0 && territory->high % BLOCK == 0 && territory->base % BLOCK == 0);
  GASAN_CHECK(territory->low <= territory->base && territory->base + territory->size < territory->high);
}

/* Only the first and the last page can be shared. */
static struct gasan_status divide_ends(struct gasan_tables *tables, const struct gasan_territory *territory) {
  uint64_t ends[2] = {page_of(tables, territory->low), page_of(tables, territory->high - 1)};
  struct gasan_status status = gasan_status_make(GASAN_OK);
  for (int i = 0; i < 2 && gasan_ok(status); i++)
    if (!is_whole(part_of(tables, territory, ends[i])))
      status = divide_page(tables, ends[i]);
  return status;
}

struct gasan_status gasan_tables_prepare(struct gasan_tables *tables, const struct gasan_territory *territory, uint32_t *entry) {
  check_territory(tables, territory);
  pthread_mutex_lock(&tables->lock);
  struct gasan_status status = divide_ends(tables, territory);
  if (gasan_ok(status))
    status = take_slot(tables, entry);
  pthread_mutex_unlock(&tables->lock);
  return status;
}

void gasan_tables_cancel(struct gasan_tables *tables, uint32_t entry) {
  pthread_mutex_lock(&tables->lock);
  reuse_slot(tables, entry);
  pthread_mutex_unlock(&tables->lock);
}

void gasan_tables_add(struct gasan_tables *tables, const struct gasan_territory *territory, uint32_t entry, uint32_t tag) {
  pthread_mutex_lock(&tables->lock);
  tables->slots[entry] = (struct slot){.next_free = NONE};
  struct gasan_bst_entry *values = change_entry(tables, entry);
  values->base = territory->base;
  values->size = territory->size;
  values->generation++;
  values->tag = tag;
  for (uint64_t page = page_of(tables, territory->low); page <= page_of(tables, territory->high - 1); page++) {
    struct part part = part_of(tables, territory, page);
    if (is_whole(part))
      unify_page(tables, page, entry);
    else
      set_blocks(tables, page, part.first, part.end, entry);
  }
  pthread_mutex_unlock(&tables->lock);
}

void gasan_tables_kill(struct gasan_tables *tables, uint32_t entry) {
  pthread_mutex_lock(&tables->lock);
  struct gasan_bst_entry *values = change_entry(tables, entry);
  values->size = 0;
  values->tag = 0;
  pthread_mutex_unlock(&tables->lock);
}

void gasan_tables_release(struct gasan_tables *tables, uint32_t entry) {
  pthread_mutex_lock(&tables->lock);
  GASAN_CHECK(!tables->slots[entry].released);
  tables->slots[entry].released = true;
  lead_away(tables, entry, 0);
  pthread_mutex_unlock(&tables->lock);
}

struct gasan_bounds gasan_tables_find(struct gasan_tables *tables, uint64_t address) {
  struct gasan_bounds bounds = gasan_bounds_make(0, 0, GASAN_OBJECT_WILD);
  pthread_mutex_lock(&tables->lock);
  uint32_t index = gasan_page_map_find(words_of(tables), (const void *)tables->blocks.bytes, address - tables->base);
  if (index >= GASAN_BST_FIRST) {
    const struct gasan_bst_entry *entry = (const struct gasan_bst_entry *)(const void *)tables->bst.bytes + index;
    bounds = gasan_bounds_make(entry->base, entry->size, GASAN_OBJECT_MEMORY);
  }
  pthread_mutex_unlock(&tables->lock);
  return bounds;
}

uint64_t gasan_tables_epoch(const struct gasan_tables *tables) {
  return atomic_load_explicit(&tables->epoch, memory_order_acquire);
}

/* Entries first, the words that lead to them last: a kernel that runs meanwhile never follows a word to something unwritten. */
static struct gasan_status upload(struct gasan_tables *tables) {
  struct gasan_copy *const copies[] = {&tables->bst, &tables->blocks, &tables->page_map};
  struct gasan_status status = gasan_status_make(GASAN_OK);
  for (int i = 0; i < 3 && gasan_ok(status); i++)
    status = gasan_copy_upload(copies[i]);
  return status;
}

struct gasan_status gasan_tables_flush(struct gasan_tables *tables) {
  if (!atomic_load_explicit(&tables->dirty, memory_order_acquire))
    return gasan_status_make(GASAN_OK);
  pthread_mutex_lock(&tables->lock);
  struct gasan_status status = upload(tables);
  /* Only now: a thread that sees "clean" launches at once. */
  if (gasan_ok(status))
    atomic_store_explicit(&tables->dirty, false, memory_order_release);
  pthread_mutex_unlock(&tables->lock);
  return status;
}

uint64_t gasan_tables_memory(struct gasan_tables *tables) {
  pthread_mutex_lock(&tables->lock);
  uint64_t memory = tables->page_map.extent.mapped + tables->bst.extent.mapped + tables->blocks.extent.mapped;
  pthread_mutex_unlock(&tables->lock);
  return memory;
}

uint64_t gasan_tables_used(struct gasan_tables *tables) {
  pthread_mutex_lock(&tables->lock);
  uint64_t used = page_count(tables) * sizeof(gasan_page_word) + tables->slot_count * sizeof(struct gasan_bst_entry) +
                  tables->table_count * sizeof(struct gasan_block_table);
  pthread_mutex_unlock(&tables->lock);
  return used;
}
