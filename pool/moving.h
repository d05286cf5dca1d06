/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pool that moves, for devices without virtual memory management (gasan 3.2.2; private to pool/).
 *
 * Its memory is a plain allocation (a segment); when that is full, a greater one takes its place, what it held is
 * copied there, and the table by which device code translates handles says so. Memory that may not move now (kernels
 * run, a captured graph or a texture has its address: pinned) stays, and a second segment is opened beside it. An id is
 * given again as late as can be, and the record of a freed chunk stays until then. The functions are those of
 * pool/pool.h. Device code knows each object's exact size: redzones (the smallest, B) are only there for code that
 * nobody instrumented. */
#ifndef GASAN_POOL_MOVING_H
#define GASAN_POOL_MOVING_H

#include "pool/pool.h"

struct gasan_moving;

/* Bytes of the first segment. */
#define GASAN_MOVING_FIRST_SIZE (4ull << 20)

/* ERR_INVALID: handle_bits is 0 or more than GASAN_HANDLE_MOST_BITS. */
struct gasan_status gasan_moving_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                        struct gasan_moving **moving);
void gasan_moving_destroy(struct gasan_moving *moving);

uint64_t gasan_moving_table(const struct gasan_moving *moving);
struct gasan_status gasan_moving_allocate(struct gasan_moving *moving, uint64_t size, struct gasan_pool_caller caller,
                                          uint64_t *handle);
enum gasan_pool_free_result gasan_moving_free(struct gasan_moving *moving, uint64_t handle,
                                              struct gasan_pool_caller caller, struct gasan_chunk *chunk);
bool gasan_moving_owns(const struct gasan_moving *moving, uint64_t handle);
bool gasan_moving_find(struct gasan_moving *moving, uint64_t handle, struct gasan_chunk *chunk);
bool gasan_moving_covers(struct gasan_moving *moving, uint64_t handle, uint64_t size, uint64_t *fault);
void gasan_moving_each_live(struct gasan_moving *moving, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                            void *context);
struct gasan_status gasan_moving_translate(struct gasan_moving *moving, uint64_t handle, bool pin, uint64_t *address);
uint64_t gasan_moving_handle_of(struct gasan_moving *moving, uint64_t address);
void gasan_moving_counters(struct gasan_moving *moving, struct gasan_pool_counters *counters);

#endif
