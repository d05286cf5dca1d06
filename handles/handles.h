/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The handle table: which object an id names now (gasan 3.2.2). The arithmetic on handles is in handles/codec.h.
 *
 * Addresses are device addresses, sizes bytes. An id that was freed is given again as late as possible: ids that were
 * never used go first, then the one that was freed longest ago; until then a stale handle is told from a valid one. The
 * table grows as ids are used. One lock inside: any thread; the caller ends other threads' use before destroy. */
#ifndef GASAN_HANDLES_HANDLES_H
#define GASAN_HANDLES_HANDLES_H

#include <stdbool.h>

#include "base/status.h"
#include "handles/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_handles;

/* A copy of a live object. */
struct gasan_handle_object {
  uint64_t id;
  uint64_t address, size;
};

/* id_bits: 1 to GASAN_HANDLE_MAX_ID_BITS, else ERR_INVALID. There can be 2^id_bits - 1 objects at a time.
 * ERR_OUT_OF_HOST_MEMORY. *handles is only set if the status is OK. */
struct gasan_status gasan_handles_create(uint32_t id_bits, struct gasan_handles **handles);
/* The same, but the table gives only ids congruent to share + 1 modulo `shares`, so that as many tables (one a device)
 * never give the same id. ERR_INVALID too if it could give none. */
struct gasan_status gasan_handles_create_share(uint32_t id_bits, uint32_t share, uint32_t shares,
                                               struct gasan_handles **handles);
/* Is it a handle with an id that this table may give? No lock. */
bool gasan_handles_owns(const struct gasan_handles *handles, uint64_t handle);
/* NULL: nothing. */
void gasan_handles_destroy(struct gasan_handles *handles);

/* No lock. */
uint32_t gasan_handles_id_bits(const struct gasan_handles *handles);

/* *handle is the object's start, offset 0. On failure nothing changed. ERR_INVALID: size 0, or greater than
 * gasan_handle_max_size. ERR_OUT_OF_ADDRESSES: all ids are in use. ERR_OUT_OF_HOST_MEMORY: the table cannot grow. */
struct gasan_status gasan_handles_allocate(struct gasan_handles *handles, uint64_t address, uint64_t size,
                                           uint64_t *handle);

/* From here on the object's handles are stale. *object is what it was, if object is not NULL.
 * ERR_NOT_FOUND: a plain address, or no live object has the id. ERR_INVALID: not the object's start; nothing changed.
 * */
struct gasan_status gasan_handles_free(struct gasan_handles *handles, uint64_t handle,
                                       struct gasan_handle_object *object);

/* The object that the handle names; its offset may be outside the object. ERR_NOT_FOUND as above. */
struct gasan_status gasan_handles_lookup(struct gasan_handles *handles, uint64_t handle,
                                         struct gasan_handle_object *object);

/* The device address that the handle stands for now, also if its offset is outside the object (that is for the checks
 * to find). A plain address (id 0) stands for itself. ERR_NOT_FOUND: no live object has the id. */
struct gasan_status gasan_handles_translate(struct gasan_handles *handles, uint64_t handle, uint64_t *address);

/* Memory moved from [from, from + size) to `to`: every object that starts there moves along; its handles stay valid.
 * Returns how many objects moved. */
uint64_t gasan_handles_relocate(struct gasan_handles *handles, uint64_t from, uint64_t size, uint64_t to);

/* Live objects. */
uint64_t gasan_handles_count(struct gasan_handles *handles);

#ifdef __cplusplus
}
#endif
#endif
