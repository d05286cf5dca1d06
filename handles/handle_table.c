/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "handles/handle_table.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"

#define FIRST_CAPACITY 64u

/* A slot with size 0 is unused or freed; freed slots are in the free list. */
struct slot {
  uint64_t address, size;
  uint64_t next_free; /* id; 0: end of the list */
};

struct gasan_handles {
  uint32_t id_bits, share, shares;
  pthread_mutex_t lock; /* protects the members below */
  struct slot *slots;   /* slots[id]; slot 0 is no object */
  uint64_t capacity;    /* slots that fit into the array */
  uint64_t next_fresh;  /* least unused id */
  uint64_t free_oldest, free_newest;
  uint64_t count;
};

struct gasan_status gasan_handles_create(uint32_t id_bits, struct gasan_handles **handles) {
  return gasan_handles_create_share(id_bits, 0, 1, handles);
}

struct gasan_status gasan_handles_create_share(uint32_t id_bits, uint32_t share, uint32_t shares,
                                               struct gasan_handles **handles) {
  if (id_bits < 1 || id_bits > GASAN_HANDLE_MAX_ID_BITS || share >= shares || share >= gasan_handle_max_id(id_bits))
    return gasan_status_make(GASAN_ERR_INVALID);
  struct gasan_handles *created = calloc(1, sizeof *created);
  if (!created)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  created->id_bits = id_bits;
  created->share = share;
  created->shares = shares;
  created->next_fresh = share + 1;
  GASAN_CHECK(pthread_mutex_init(&created->lock, NULL) == 0);
  *handles = created;
  return gasan_status_make(GASAN_OK);
}

void gasan_handles_destroy(struct gasan_handles *handles) {
  if (!handles)
    return;
  pthread_mutex_destroy(&handles->lock);
  free(handles->slots);
  free(handles);
}

uint32_t gasan_handles_id_bits(const struct gasan_handles *handles) {
  return handles->id_bits;
}

bool gasan_handles_owns(const struct gasan_handles *handles, uint64_t handle) {
  uint64_t id = gasan_handle_id(handles->id_bits, handle);
  return id != 0 && (id - 1) % handles->shares == handles->share;
}

static bool grow_slots(struct gasan_handles *handles) {
  uint64_t capacity = handles->capacity ? handles->capacity * 2 : FIRST_CAPACITY;
  while (capacity <= handles->next_fresh)
    capacity *= 2;
  struct slot *slots = realloc(handles->slots, capacity * sizeof *slots);
  if (!slots)
    return false;
  handles->slots = slots;
  handles->capacity = capacity;
  return true;
}

static struct gasan_status allocate_id(struct gasan_handles *handles, uint64_t *id) {
  if (handles->next_fresh <= gasan_handle_max_id(handles->id_bits)) {
    if (handles->next_fresh >= handles->capacity && !grow_slots(handles))
      return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
    *id = handles->next_fresh;
    handles->next_fresh += handles->shares;
    return gasan_status_make(GASAN_OK);
  }
  if (handles->free_oldest == 0)
    return gasan_status_make(GASAN_ERR_OUT_OF_ADDRESSES);
  *id = handles->free_oldest;
  handles->free_oldest = handles->slots[*id].next_free;
  if (handles->free_oldest == 0)
    handles->free_newest = 0;
  return gasan_status_make(GASAN_OK);
}

static void free_id(struct gasan_handles *handles, uint64_t id) {
  handles->slots[id] = (struct slot){0};
  if (handles->free_newest)
    handles->slots[handles->free_newest].next_free = id;
  else
    handles->free_oldest = id;
  handles->free_newest = id;
}

struct gasan_status gasan_handles_allocate(struct gasan_handles *handles, uint64_t address, uint64_t size,
                                           uint64_t *handle) {
  if (size == 0 || size > gasan_handle_max_size(handles->id_bits))
    return gasan_status_make(GASAN_ERR_INVALID);
  uint64_t id;
  pthread_mutex_lock(&handles->lock);
  struct gasan_status status = allocate_id(handles, &id);
  if (gasan_ok(status)) {
    handles->slots[id] = (struct slot){.address = address, .size = size};
    handles->count++;
    *handle = gasan_handle_make(handles->id_bits, id, 0);
  }
  pthread_mutex_unlock(&handles->lock);
  return status;
}

/* Returns the slot of the live object with the handle's id, or NULL. */
static struct slot *live_slot(struct gasan_handles *handles, uint64_t handle) {
  uint64_t id = gasan_handle_id(handles->id_bits, handle);
  if (!gasan_handles_owns(handles, handle) || id >= handles->next_fresh || handles->slots[id].size == 0)
    return NULL;
  return &handles->slots[id];
}

static struct gasan_handle_object object_of(const struct gasan_handles *handles, uint64_t handle,
                                            const struct slot *slot) {
  return (struct gasan_handle_object){
      .id = gasan_handle_id(handles->id_bits, handle), .address = slot->address, .size = slot->size};
}

static struct gasan_status free_locked(struct gasan_handles *handles, uint64_t handle,
                                       struct gasan_handle_object *object) {
  struct slot *slot = live_slot(handles, handle);
  if (!slot)
    return gasan_status_make(GASAN_ERR_NOT_FOUND);
  if (gasan_handle_offset(handles->id_bits, handle) != 0)
    return gasan_status_make(GASAN_ERR_INVALID);
  if (object)
    *object = object_of(handles, handle, slot);
  free_id(handles, gasan_handle_id(handles->id_bits, handle));
  handles->count--;
  return gasan_status_make(GASAN_OK);
}

struct gasan_status gasan_handles_free(struct gasan_handles *handles, uint64_t handle,
                                       struct gasan_handle_object *object) {
  pthread_mutex_lock(&handles->lock);
  struct gasan_status status = free_locked(handles, handle, object);
  pthread_mutex_unlock(&handles->lock);
  return status;
}

struct gasan_status gasan_handles_lookup(struct gasan_handles *handles, uint64_t handle,
                                         struct gasan_handle_object *object) {
  pthread_mutex_lock(&handles->lock);
  struct slot *slot = live_slot(handles, handle);
  if (slot)
    *object = object_of(handles, handle, slot);
  pthread_mutex_unlock(&handles->lock);
  return gasan_status_make(slot ? GASAN_OK : GASAN_ERR_NOT_FOUND);
}

struct gasan_status gasan_handles_translate(struct gasan_handles *handles, uint64_t handle, uint64_t *address) {
  if (gasan_handle_id(handles->id_bits, handle) == 0) {
    *address = handle;
    return gasan_status_make(GASAN_OK);
  }
  struct gasan_handle_object object;
  struct gasan_status status = gasan_handles_lookup(handles, handle, &object);
  if (gasan_ok(status))
    *address = gasan_handle_address(handles->id_bits, object.address, handle);
  return status;
}

uint64_t gasan_handles_relocate(struct gasan_handles *handles, uint64_t from, uint64_t size, uint64_t to) {
  uint64_t moved = 0;
  pthread_mutex_lock(&handles->lock);
  for (uint64_t id = handles->share + 1; id < handles->next_fresh; id += handles->shares) {
    struct slot *slot = &handles->slots[id];
    if (slot->size == 0 || slot->address - from >= size)
      continue;
    slot->address += to - from;
    moved++;
  }
  pthread_mutex_unlock(&handles->lock);
  return moved;
}

uint64_t gasan_handles_count(struct gasan_handles *handles) {
  pthread_mutex_lock(&handles->lock);
  uint64_t count = handles->count;
  pthread_mutex_unlock(&handles->lock);
  return count;
}
