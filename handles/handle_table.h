/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The handle table: from an id to its live object (gasan 3.2.2). handles/codec.h has the arithmetic on handles.
 *
 * Addresses are device addresses, sizes are in bytes. A freed id is reused as late as possible: unused ids come first,
 * then the id that was freed longest ago. Until it is reused, the table recognises stale handles. The table grows as
 * ids are used. It has one lock: any thread may call any function. The caller ends other threads' use of the table
 * before destroy. */
#ifndef GASAN_HANDLES_HANDLE_TABLE_H
#define GASAN_HANDLES_HANDLE_TABLE_H

#include <stdbool.h>

#include "base/status.h"
#include "handles/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_handles;

/* A copy of a live object's data. */
struct gasan_handle_object {
  uint64_t id;
  uint64_t address, size;
};

/* Creates a table for 2^id_bits - 1 live objects. Sets *handles only if the status is OK. ERR_INVALID: id_bits is not
 * in 1 to GASAN_HANDLE_MAX_ID_BITS. ERR_OUT_OF_HOST_MEMORY. */
struct gasan_status gasan_handles_create(uint32_t id_bits, struct gasan_handles **handles);
/* Creates a table that gives only ids congruent to share + 1 modulo `shares`. So `shares` tables, one for each device,
 * never give the same id. Also ERR_INVALID if the table could give no id. */
struct gasan_status gasan_handles_create_share(uint32_t id_bits, uint32_t share, uint32_t shares,
                                               struct gasan_handles **handles);
/* Returns whether the handle has an id that this table may give. No lock. */
bool gasan_handles_owns(const struct gasan_handles *handles, uint64_t handle);
/* Releases the table. NULL: does nothing. */
void gasan_handles_destroy(struct gasan_handles *handles);

/* Returns the number of id bits that was passed to create. No lock. */
uint32_t gasan_handles_id_bits(const struct gasan_handles *handles);

/* Adds an object. Sets *handle to the handle of its start (offset 0). A failure changes nothing. ERR_INVALID: the size
 * is 0, or greater than gasan_handle_max_size. ERR_OUT_OF_ADDRESSES: all ids are in use. ERR_OUT_OF_HOST_MEMORY. */
struct gasan_status gasan_handles_allocate(struct gasan_handles *handles, uint64_t address, uint64_t size,
                                           uint64_t *handle);

/* Removes the object; its handles are stale from now on. Sets *object to its data if `object` is not NULL.
 * ERR_NOT_FOUND: a plain address, or no live object has the id. ERR_INVALID: the handle is not the object's start;
 * nothing changed. */
struct gasan_status gasan_handles_free(struct gasan_handles *handles, uint64_t handle,
                                       struct gasan_handle_object *object);

/* Sets *object to the object with the handle's id. The offset may be outside the object. ERR_NOT_FOUND as above. */
struct gasan_status gasan_handles_lookup(struct gasan_handles *handles, uint64_t handle,
                                         struct gasan_handle_object *object);

/* Sets *address to the device address for the handle. Does not compare the offset with the size; checks do. A plain
 * address (id 0) is returned unchanged. ERR_NOT_FOUND: no live object has the id. */
struct gasan_status gasan_handles_translate(struct gasan_handles *handles, uint64_t handle, uint64_t *address);

/* Updates the table after memory moved from [from, from + size) to `to`. Objects that start there have new addresses;
 * their handles stay valid. Returns the number of these objects. */
uint64_t gasan_handles_relocate(struct gasan_handles *handles, uint64_t from, uint64_t size, uint64_t to);

/* Returns the number of live objects. */
uint64_t gasan_handles_count(struct gasan_handles *handles);

#ifdef __cplusplus
}
#endif
#endif
