/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
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
/* Before there are as many chunks, their records fill the host's memory. */
#define MOST_ENTRIES (1u << 26)
#define NONE UINT32_MAX
/* Tags of pointers, including stale ones, name the entries before this. So these are reused last. */
#define SCARCE_END (GASAN_BST_FIRST + GASAN_TAG_DIRECT_COUNT)

/* The host's further data about a BST entry. */
struct slot {
  uint32_t references; /* blocks and page words that lead to the entry */
  uint32_t next_free;
  uint32_t low, end; /* the chunk's span, in blocks of the window */
  bool released;
};

struct gasan_tables {
  struct gasan_device *device;
  uint64_t base, size;
  bool tags;
  /* The chunk of each address. On the device, only code with tags reads these tables. */
  struct gasan_copy entry_map, entry_tables, bst;
  /* The same for code without tags. A page's table has the same number in both. */
  struct gasan_copy page_map, block_tables;
  pthread_mutex_t lock;   /* protects the members below and the bytes of the copies */
  atomic_bool dirty;      /* the device does not have all changes; written under the lock */
  _Atomic uint64_t epoch; /* written under the lock */
  struct slot *slots;     /* by entry; the system backs it lazily */
  uint32_t slot_count, slot_most, free_slot, free_scarce_slot;
  uint32_t *next_free_table; /* by table; the system backs it lazily */
  uint32_t table_count, free_table;
};

static void *lazy_array(uint64_t count, size_t element) {
  void *memory =
      mmap(NULL, count * element, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

#define COPIES 5

/* Returns the copies in the order of uploads: a table comes after the tables that it leads to. */
static struct gasan_copy *copy_of(struct gasan_tables *tables, int number) {
  struct gasan_copy *const copies[COPIES] = {&tables->bst, &tables->entry_tables, &tables->entry_map,
                                             &tables->block_tables, &tables->page_map};
  return copies[number];
}

static uint64_t page_count(const struct gasan_tables *tables) {
  return tables->size / PAGE;
}

/* Opens a copy of at most `size` bytes. Lookups read the first `read` bytes even before they are written. */
static struct gasan_status open_copy(struct gasan_tables *tables, struct gasan_copy *copy, bool on_device,
                                     uint64_t size, uint64_t read) {
  struct gasan_status status = gasan_copy_create(copy, on_device ? tables->device : NULL, size);
  if (gasan_ok(status))
    status = gasan_extent_grow(&copy->extent, read);
  if (gasan_ok(status) && on_device && read > 0)
    status = tables->device->kind->fill(tables->device, copy->extent.base, 0, copy->extent.mapped);
  return status;
}

static struct gasan_status open_tables(struct gasan_tables *tables) {
  uint64_t most = tables->size / BLOCK;
  tables->slot_most = most < MOST_ENTRIES ? (uint32_t)most : MOST_ENTRIES;
  tables->slots = lazy_array(tables->slot_most, sizeof *tables->slots);
  tables->next_free_table = lazy_array(page_count(tables) + 1, sizeof *tables->next_free_table);
  if (!tables->slots || !tables->next_free_table)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  uint64_t pages = page_count(tables), most_tables = pages + 1;
  /* A wild pointer's tag may name an entry without a chunk, so lookups read all entries that tags can name. */
  const struct {
    struct gasan_copy *copy;
    bool on_device;
    uint64_t size, read;
  } copies[] = {
      {&tables->entry_map, tables->tags, pages * sizeof(gasan_page_word), pages * sizeof(gasan_page_word)},
      {&tables->entry_tables, tables->tags, most_tables * sizeof(struct gasan_entry_table), 0},
      {&tables->bst, tables->tags, tables->slot_most * sizeof(struct gasan_bst_entry),
       SCARCE_END * sizeof(struct gasan_bst_entry)},
      {&tables->page_map, !tables->tags, pages * sizeof(struct gasan_page), pages * sizeof(struct gasan_page)},
      {&tables->block_tables, !tables->tags, most_tables * sizeof(struct gasan_block_table),
       sizeof(struct gasan_block_table)},
  };
  struct gasan_status status = gasan_status_make(GASAN_OK);
  for (size_t i = 0; i < sizeof copies / sizeof *copies && gasan_ok(status); i++)
    status = open_copy(tables, copies[i].copy, copies[i].on_device, copies[i].size, copies[i].read);
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
  created->table_count = GASAN_NO_BLOCK_TABLE + 1;
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
  for (int i = 0; i < COPIES; i++)
    gasan_copy_destroy(copy_of(tables, i));
  if (tables->next_free_table)
    munmap(tables->next_free_table, (page_count(tables) + 1) * sizeof *tables->next_free_table);
  if (tables->slots)
    munmap(tables->slots, tables->slot_most * sizeof *tables->slots);
  pthread_mutex_destroy(&tables->lock);
  free(tables);
}

void gasan_tables_params(const struct gasan_tables *tables, struct gasan_params *params) {
  if (tables->tags) {
    params->entry_map = tables->entry_map.extent.base;
    params->entry_tables = tables->entry_tables.extent.base;
    params->bst = tables->bst.extent.base;
    return;
  }
  params->page_map = tables->page_map.extent.base;
  params->block_tables = tables->block_tables.extent.base;
  params->mapped_high = (uint32_t)(tables->size >> 32);
}

static const gasan_page_word *words_of(const struct gasan_tables *tables) {
  return (const void *)tables->entry_map.bytes;
}

static const struct gasan_page *pages_of(const struct gasan_tables *tables) {
  return (const void *)tables->page_map.bytes;
}

static const uint32_t *entries_of(const struct gasan_tables *tables, uint64_t table) {
  return ((const struct gasan_entry_table *)tables->entry_tables.bytes)[table].entries;
}

static const struct gasan_bst_entry *entry_at(const struct gasan_tables *tables, uint32_t entry) {
  return (const struct gasan_bst_entry *)(const void *)tables->bst.bytes + entry;
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

static void drop_references(struct gasan_tables *tables, uint32_t entry, uint32_t count) {
  if (entry < GASAN_BST_FIRST)
    return;
  struct slot *slot = &tables->slots[entry];
  GASAN_CHECK(slot->references >= count);
  slot->references -= count;
  if (slot->references == 0 && slot->released)
    reuse_slot(tables, entry);
}

static void add_references(struct gasan_tables *tables, uint32_t entry, uint32_t count) {
  if (entry >= GASAN_BST_FIRST)
    tables->slots[entry].references += count;
}

/* Drops the references of consecutive blocks together, because most lead to the same entry. */
static void drop_block_references(struct gasan_tables *tables, const uint32_t *blocks, uint32_t count) {
  for (uint32_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && blocks[end] == blocks[first];)
      end++;
    drop_references(tables, blocks[first], end - first);
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

/* Returns the page map's value for pages that lead to this entry's chunk. */
static struct gasan_page page_of_entry(const struct gasan_tables *tables, uint32_t entry) {
  const struct gasan_bst_entry *values = entry_at(tables, entry);
  return values->size ? (struct gasan_page){values->base, values->size} : (struct gasan_page){0, values->base};
}

static gasan_block_word block_of_entry(const struct gasan_tables *tables, uint32_t entry) {
  const struct gasan_bst_entry *values = entry_at(tables, entry);
  uint64_t distance = values->base ? (values->base - tables->base) / BLOCK : 0;
  return (values->size <= UINT32_MAX ? values->size : 0) << 32 | distance;
}

static struct gasan_page *change_page(struct gasan_tables *tables, uint64_t page) {
  return gasan_copy_change(&tables->page_map, page, 1, sizeof(struct gasan_page));
}

/* Blocks [first, end) of a page. */
struct part {
  uint32_t first, end;
};

static bool is_whole(struct part part) {
  return part.first == 0 && part.end == GASAN_MAP_BLOCKS;
}

/* Updates the part in the tables for code without tags. */
static void update_untagged(struct gasan_tables *tables, uint64_t page, struct part part) {
  gasan_page_word word = words_of(tables)[page];
  uint32_t table = (uint32_t)(word >> 1);
  if (tables->tags)
    return;
  if (!(word & 1)) {
    *change_page(tables, page) = page_of_entry(tables, table);
    return;
  }
  /* The size stays, because a concurrent lookup may have read the old base. */
  if (pages_of(tables)[page].base != table)
    change_page(tables, page)->base = table;
  const uint32_t *entries = entries_of(tables, table);
  gasan_block_word *words = gasan_copy_change(&tables->block_tables, (uint64_t)table * GASAN_MAP_BLOCKS + part.first,
                                              part.end - part.first, sizeof *words);
  for (uint32_t i = part.first; i < part.end; i++)
    words[i - part.first] = block_of_entry(tables, entries[i]);
}

static struct gasan_status take_table(struct gasan_tables *tables, uint32_t *table) {
  *table = tables->free_table;
  if (*table != NONE) {
    tables->free_table = tables->next_free_table[*table];
    return gasan_status_make(GASAN_OK);
  }
  uint64_t count = tables->table_count + 1ull;
  struct gasan_status status =
      gasan_extent_grow(&tables->entry_tables.extent, count * sizeof(struct gasan_entry_table));
  if (gasan_ok(status))
    status = gasan_extent_grow(&tables->block_tables.extent, count * sizeof(struct gasan_block_table));
  if (gasan_ok(status))
    *table = tables->table_count++;
  return status;
}

/* Gives the page a table, so that it can lead to several chunks. The results of lookups stay the same. */
static struct gasan_status divide_page(struct gasan_tables *tables, uint64_t page) {
  gasan_page_word word = words_of(tables)[page];
  uint32_t entry = (uint32_t)(word >> 1), table;
  if (word & 1)
    return gasan_status_make(GASAN_OK);
  struct gasan_status status = take_table(tables, &table);
  if (!gasan_ok(status))
    return status;
  uint32_t *entries = gasan_copy_change(&tables->entry_tables, table, 1, sizeof(struct gasan_entry_table));
  for (uint32_t i = 0; i < GASAN_MAP_BLOCKS; i++)
    entries[i] = entry;
  add_references(tables, entry, GASAN_MAP_BLOCKS - 1);
  *(gasan_page_word *)gasan_copy_change(&tables->entry_map, page, 1, sizeof word) = (gasan_page_word)table << 1 | 1;
  update_untagged(tables, page, (struct part){0, GASAN_MAP_BLOCKS});
  mark_dirty(tables);
  return status;
}

static void unify_page(struct gasan_tables *tables, uint64_t page, uint32_t entry) {
  gasan_page_word word = words_of(tables)[page];
  add_references(tables, entry, 1);
  if (word & 1) {
    uint32_t table = (uint32_t)(word >> 1);
    drop_block_references(tables, entries_of(tables, table), GASAN_MAP_BLOCKS);
    tables->next_free_table[table] = tables->free_table;
    tables->free_table = table;
  } else {
    drop_references(tables, (uint32_t)(word >> 1), 1);
  }
  *(gasan_page_word *)gasan_copy_change(&tables->entry_map, page, 1, sizeof word) = (gasan_page_word)entry << 1;
}

static void set_blocks(struct gasan_tables *tables, uint64_t page, struct part part, uint32_t entry) {
  gasan_page_word word = words_of(tables)[page];
  uint32_t count = part.end - part.first;
  GASAN_CHECK(word & 1);
  uint32_t *entries =
      gasan_copy_change(&tables->entry_tables, (word >> 1) * GASAN_MAP_BLOCKS + part.first, count, sizeof *entries);
  add_references(tables, entry, count);
  drop_block_references(tables, entries, count);
  for (uint32_t i = 0; i < count; i++)
    entries[i] = entry;
}

/* Returns the part of [low, high) in the page. */
static struct part part_of(const struct gasan_tables *tables, uint64_t low, uint64_t high, uint64_t page) {
  uint64_t start = tables->base + page * PAGE;
  uint64_t first = low > start ? low - start : 0;
  uint64_t end = high - start < PAGE ? high - start : PAGE;
  return (struct part){(uint32_t)(first / BLOCK), (uint32_t)(end / BLOCK)};
}

static uint64_t page_of(const struct gasan_tables *tables, uint64_t address) {
  return (address - tables->base) / PAGE;
}

static void check_span(const struct gasan_tables *tables, const struct gasan_pointer_span *span) {
  GASAN_CHECK(span->low >= tables->base && span->high - tables->base <= tables->size);
  GASAN_CHECK(span->low % BLOCK == 0 && span->high % BLOCK == 0 && span->base % BLOCK == 0 && span->low < span->high);
}

/* Divides the first and the last page of the span if they are shared; no other page can be. */
static struct gasan_status divide_ends(struct gasan_tables *tables, const struct gasan_pointer_span *span) {
  uint64_t ends[2] = {page_of(tables, span->low), page_of(tables, span->high - 1)};
  struct gasan_status status = gasan_status_make(GASAN_OK);
  for (int i = 0; i < 2 && gasan_ok(status); i++)
    if (!is_whole(part_of(tables, span->low, span->high, ends[i])))
      status = divide_page(tables, ends[i]);
  return status;
}

struct gasan_status gasan_tables_prepare(struct gasan_tables *tables, const struct gasan_pointer_span *span,
                                         uint32_t *entry) {
  check_span(tables, span);
  pthread_mutex_lock(&tables->lock);
  struct gasan_status status = divide_ends(tables, span);
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

void gasan_tables_add(struct gasan_tables *tables, const struct gasan_pointer_span *span, uint32_t entry,
                      uint32_t tag) {
  pthread_mutex_lock(&tables->lock);
  tables->slots[entry] = (struct slot){.next_free = NONE,
                                       .low = (uint32_t)((span->low - tables->base) / BLOCK),
                                       .end = (uint32_t)((span->high - tables->base) / BLOCK)};
  struct gasan_bst_entry *values = change_entry(tables, entry);
  values->base = span->base;
  values->size = span->size;
  values->generation++;
  values->tag = tag;
  for (uint64_t page = page_of(tables, span->low); page <= page_of(tables, span->high - 1); page++) {
    struct part part = part_of(tables, span->low, span->high, page);
    if (is_whole(part))
      unify_page(tables, page, entry);
    else
      set_blocks(tables, page, part, entry);
    update_untagged(tables, page, part);
  }
  pthread_mutex_unlock(&tables->lock);
}

/* Updates all pages of the span for code without tags. Other chunks may have parts of the span by now. */
static void update_untagged_span(struct gasan_tables *tables, const struct slot *slot) {
  uint64_t low = tables->base + slot->low * BLOCK, high = tables->base + slot->end * BLOCK;
  for (uint64_t page = page_of(tables, low); page <= page_of(tables, high - 1); page++)
    update_untagged(tables, page, part_of(tables, low, high, page));
}

void gasan_tables_kill(struct gasan_tables *tables, uint32_t entry) {
  pthread_mutex_lock(&tables->lock);
  struct gasan_bst_entry *values = change_entry(tables, entry);
  values->size = 0;
  values->tag = 0;
  update_untagged_span(tables, &tables->slots[entry]);
  pthread_mutex_unlock(&tables->lock);
}

void gasan_tables_return(struct gasan_tables *tables, uint64_t low, uint64_t high, uint32_t entry) {
  pthread_mutex_lock(&tables->lock);
  for (uint64_t page = page_of(tables, low); page <= page_of(tables, high - 1); page++) {
    struct part part = part_of(tables, low, high, page);
    if (is_whole(part))
      unify_page(tables, page, entry);
    else
      set_blocks(tables, page, part, entry);
    update_untagged(tables, page, part);
  }
  mark_dirty(tables);
  pthread_mutex_unlock(&tables->lock);
}

void gasan_tables_release(struct gasan_tables *tables, uint32_t entry) {
  pthread_mutex_lock(&tables->lock);
  GASAN_CHECK(!tables->slots[entry].released);
  tables->slots[entry].released = true;
  drop_references(tables, entry, 0);
  pthread_mutex_unlock(&tables->lock);
}

struct gasan_bounds gasan_tables_find(struct gasan_tables *tables, uint64_t address) {
  struct gasan_bounds bounds = gasan_nothing_there();
  pthread_mutex_lock(&tables->lock);
  uint32_t index =
      gasan_entry_map_find(words_of(tables), (const void *)tables->entry_tables.bytes, address - tables->base);
  if (index >= GASAN_BST_FIRST) {
    const struct gasan_bst_entry *entry = entry_at(tables, index);
    bounds = gasan_tabled_bounds(tables->base, entry->base, entry->size);
  }
  pthread_mutex_unlock(&tables->lock);
  return bounds;
}

uint64_t gasan_tables_epoch(const struct gasan_tables *tables) {
  return atomic_load_explicit(&tables->epoch, memory_order_acquire);
}

/* The order ensures that a running kernel never follows a word to unwritten memory. */
static struct gasan_status upload_copies(struct gasan_tables *tables) {
  struct gasan_status status = gasan_status_make(GASAN_OK);
  for (int i = 0; i < COPIES && gasan_ok(status); i++)
    status = gasan_copy_upload(copy_of(tables, i));
  return status;
}

struct gasan_status gasan_tables_flush(struct gasan_tables *tables) {
  if (!atomic_load_explicit(&tables->dirty, memory_order_acquire))
    return gasan_status_make(GASAN_OK);
  pthread_mutex_lock(&tables->lock);
  struct gasan_status status = upload_copies(tables);
  /* Last, because a thread that reads false launches at once. */
  if (gasan_ok(status))
    atomic_store_explicit(&tables->dirty, false, memory_order_release);
  pthread_mutex_unlock(&tables->lock);
  return status;
}

uint64_t gasan_tables_memory(struct gasan_tables *tables) {
  uint64_t memory = 0;
  pthread_mutex_lock(&tables->lock);
  for (int i = 0; i < COPIES; i++)
    memory += copy_of(tables, i)->extent.device ? copy_of(tables, i)->extent.mapped : 0;
  pthread_mutex_unlock(&tables->lock);
  return memory;
}

uint64_t gasan_tables_used(struct gasan_tables *tables) {
  pthread_mutex_lock(&tables->lock);
  uint64_t used =
      tables->tags
          ? page_count(tables) * sizeof(gasan_page_word) + tables->table_count * sizeof(struct gasan_entry_table) +
                tables->slot_count * sizeof(struct gasan_bst_entry)
          : page_count(tables) * sizeof(struct gasan_page) + tables->table_count * sizeof(struct gasan_block_table);
  pthread_mutex_unlock(&tables->lock);
  return used;
}
