/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pool: the address window that all device allocations of one device come from (gasan 3.2, 3.3; DESIGN 4).
 *
 * A chunk is one allocation: user range, redzones of max(redzone_percent * size / 100, redzone_min) bytes on each side,
 * and a record that outlives the free. User ranges are 256-byte aligned or more. Neighbours' redzones overlap; the
 * window's edges count as neighbours, so that every redzone is in the window. Physical memory lies only under user
 * ranges and what shares their pages: chunks of more than half a page of the device start at a page and have their
 * pages for themselves, smaller ones share pages. A freed chunk is poisoned. A small one waits in the quarantine (FIFO,
 * bounded in bytes) with its memory; a large one gives its memory back at once, and its addresses stay dead until the
 * window is used up (a second FIFO), so that a use after free is found even after other allocations. The record of a
 * freed chunk can be found until its addresses are given to another chunk or its redzones.
 *
 * Addresses are device addresses, all sizes are bytes. One lock inside: any thread; the caller ends the pool's use by
 * other threads before destroy. No function waits for a stream or a kernel: the caller does that before it frees. */
#ifndef GASAN_POOL_POOL_H
#define GASAN_POOL_POOL_H

#include "base/abi.h"
#include "base/status.h"
#include "device/device.h"
#include "shadow/bounds.h"
#include "shadow/shadow.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GASAN_POOL_ALIGNMENT 256u
/* What a chunk in quarantine counts at least, in bytes: its record and its redzone cost as much, and a free is not to
 * push out dozens of smaller chunks, from among hundreds of thousands. */
#define GASAN_POOL_LEAST_QUARANTINED 2048u

struct gasan_pool;

/* How code in BST mode finds a pointer's chunk (shadow/bounds.h). */
enum gasan_pool_lookup {
  GASAN_POOL_LOOKUP_NONE,
  GASAN_POOL_LOOKUP_PAGEMAP,
  GASAN_POOL_LOOKUP_TREE,
  GASAN_POOL_LOOKUP_LIST
};

struct gasan_pool_options {
  uint64_t window_size;          /* power of two, 4 GiB to greatest_window; the window's base is a multiple of it */
  uint32_t shadow_scale;         /* 3, 7 or 8 (shadow/encoding.h); 0: no shadow */
  enum gasan_pool_lookup lookup; /* NONE: no tables */
  uint32_t redzone_percent;      /* L of gasan 3.3 */
  uint64_t redzone_min;   /* B of gasan 3.3; rounded up to GASAN_POOL_ALIGNMENT, at least that (768 with tables) */
  uint64_t alignment;     /* of user ranges: a power of two, at least GASAN_POOL_ALIGNMENT; 0: that */
  uint32_t handle_bits;   /* 0: a window; else the pool moves, and callers get handles with this many id bits
                             (pool/moving.h) */
  uint32_t share, shares; /* of all ids, for a pool that moves: one share a device */
  /* For a pool that moves: try_still makes sure that no kernel, copy or thread uses its memory, until end_still; false:
   * that cannot be said now. Never waits for what may wait for the caller. */
  bool (*try_still)(struct gasan_device *device);
  void (*end_still)(struct gasan_device *device);
  bool tags; /* callers get and give pointers with tags (shadow/tags.h) in all functions; not for a pool that moves */
  uint64_t quarantine_size; /* bytes of freed user ranges (GASAN_POOL_LEAST_QUARANTINED or more for each) that may wait
                             * with their memory; a greater chunk does not */
};

enum gasan_chunk_state { GASAN_CHUNK_LIVE, GASAN_CHUNK_FREED };

/* A copy of a chunk's record; its base is what the program holds. */
struct gasan_chunk {
  uint64_t base, size;                  /* user range; size as asked for */
  uint64_t redzone_left, redzone_right; /* up to the neighbours; once the addresses are free: as given */
  enum gasan_chunk_state state;
  uint64_t sequence;                       /* of the allocation, from 1 */
  const char *api;                         /* static: the function that allocated, "cudaMalloc" */
  uint32_t allocation_stack, free_stack;   /* the caller's ids; 0: none */
  uint32_t allocation_thread, free_thread; /* free_*: 0 while live */
};

/* Who allocates or frees, kept in the record. The api's text must live for ever. */
struct gasan_pool_caller {
  const char *api;
  uint32_t stack;
  uint32_t thread;
};

struct gasan_pool_counters {
  uint64_t live_chunks, live_bytes, peak_live_bytes;
  uint64_t quarantined_chunks, quarantined_bytes; /* wait with their memory */
  uint64_t allocations, frees;                    /* that succeeded */
  uint64_t reused;                    /* freed chunks that were forgotten because their addresses were given again */
  uint64_t mapped_bytes;              /* device memory held now: live, quarantined and idle pages; not the shadow's */
  uint64_t used_window;               /* addresses up to the end of the highest chunk ever */
  uint64_t dead_chunks, dead_bytes;   /* wait without memory */
  uint64_t tables_bytes, tables_used; /* device memory of the tables, and what is in use of it */
  uint64_t segments, moves;           /* of a pool that moves: plain allocations now, and reallocations so far */
};

/* The greatest window that there may be. Instrumented code computes shadow offsets in 32 bits if the scale is 7 or 8,
 * which are enough for 2^(32 + scale) bytes; in 64 bits if it is 3; without shadow (0) as with 7. 0: there is no such
 * scale. */
uint64_t gasan_pool_greatest_window(uint32_t shadow_scale);

/* Window: four times the device's memory, rounded up to a power of two, 4 GiB to greatest_window and to 512 GiB; L = 50
 * %, B = 256; alignment 512, as textures need it; quarantine 256 MiB. */
void gasan_pool_default_options(struct gasan_device *device, uint32_t shadow_scale, struct gasan_pool_options *options);

/* Reserves the window and makes shadow and tables. *pool is only set if the status is OK, else nothing is left behind.
 * ERR_INVALID: window size or scale are not as said. ERR_NOT_SUPPORTED: the device has no virtual memory management.
 * ERR_OUT_OF_HOST_MEMORY, ERR_OUT_OF_ADDRESSES, ERR_OUT_OF_MEMORY, ERR_DEVICE. */
struct gasan_status gasan_pool_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                      struct gasan_pool **pool);
/* Gives everything back, live chunks too; NULL: nothing. What the device refuses to take back then is leaked. */
void gasan_pool_destroy(struct gasan_pool *pool);

/* A pool that moves (options.handle_bits): its chunks' addresses are handles in all functions here. Its own: */
bool gasan_pool_moves(const struct gasan_pool *pool);
/* The device address of struct gasan_handle_entry[1 << handle_bits]. */
uint64_t gasan_pool_handle_table(const struct gasan_pool *pool);

/* Does the program hold something else than device addresses, handles or tagged pointers? */
bool gasan_pool_translates(const struct gasan_pool *pool);
/* The device address that the program's pointer stands for; ERR_NOT_FOUND: a handle whose object is freed or never was.
 * Good until the memory moves; pinned: for ever. Offsets outside the object are the caller's to find, and tags are its
 * to compare. */
struct gasan_status gasan_pool_translate(struct gasan_pool *pool, uint64_t pointer, bool pin, uint64_t *address);
/* What the program holds for the live chunk that has the device address (or ends there), 0: there is none. */
uint64_t gasan_pool_pointer_to(struct gasan_pool *pool, uint64_t address);

/* Owned by the pool; NULL if it has none. No lock. */
struct gasan_shadow *gasan_pool_shadow(struct gasan_pool *pool);
/* Fills in what code needs to find chunks: window, shadow, tables; nothing else is changed. No lock. */
void gasan_pool_params(const struct gasan_pool *pool, struct gasan_params *params);
struct gasan_device *gasan_pool_device(struct gasan_pool *pool);
uint64_t gasan_pool_window_base(const struct gasan_pool *pool);
uint64_t gasan_pool_window_size(const struct gasan_pool *pool);

/* The chunk can be used by kernels that are launched after the next gasan_pool_flush; its contents are undefined. On
 * failure nothing changed but what freed chunks still hold. ERR_INVALID: size 0. ERR_OUT_OF_MEMORY: the size is greater
 * than the window, or the device has no memory; ERR_OUT_OF_ADDRESSES: no place in the window for it and its redzones;
 * both only after the quarantine was given back, if that could help, and before it, for want of addresses, the dead
 * chunks', oldest first and no more than needed. ERR_OUT_OF_HOST_MEMORY. ERR_DEVICE. */
struct gasan_status gasan_pool_allocate(struct gasan_pool *pool, uint64_t size, struct gasan_pool_caller caller,
                                        uint64_t *address);

enum gasan_pool_free_result {
  GASAN_POOL_FREED,
  GASAN_POOL_NOT_IN_WINDOW, /* not the pool's: some other memory, or 0 */
  GASAN_POOL_DOUBLE_FREE,   /* the start of a chunk that is freed already */
  GASAN_POOL_NOT_A_CHUNK,   /* in the window, but not a chunk's start */
};

/* The caller has made sure that no kernel uses the chunk any more. A record of the chunk concerned (nearest one for
 * NOT_A_CHUNK, if any: else size 0) is copied to *chunk if chunk is not NULL. A device that fails to take memory back
 * is asked again later (the chunk waits in the quarantine, large or not); the chunk is freed all the same. */
enum gasan_pool_free_result gasan_pool_free(struct gasan_pool *pool, uint64_t address, struct gasan_pool_caller caller,
                                            struct gasan_chunk *chunk);

/* Is the address in the window (live or not)? No lock. */
bool gasan_pool_owns(const struct gasan_pool *pool, uint64_t address);

/* The chunk, live or freed, that explains the address best: the one whose user range holds it, else the live or freed
 * one nearest to it (freed loses ties). False: the window is empty or the address is not in it. */
bool gasan_pool_find(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *chunk);

/* Is every byte of [address, address + size) in one live chunk's user range? If not, *fault is the first byte that is
 * not. True for size 0, whatever the address. */
bool gasan_pool_covers(struct gasan_pool *pool, uint64_t address, uint64_t size, uint64_t *fault);

/* Calls visit for each live chunk in address order until it returns false; the pool is locked meanwhile (visit must not
 * call the pool). */
void gasan_pool_each_live(struct gasan_pool *pool, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                          void *context);

/* Whether the device of that ordinal may use the pool's memory: what there is, and what comes. On failure (the device's
 * status) it may not. ERR_NOT_SUPPORTED: a pool that moves, or a kind of device that has only one. */
struct gasan_status gasan_pool_allow_peer(struct gasan_pool *pool, int peer, bool may);
/* What kernels find with GASAN_LOOKUP_PAGEMAP for an address of the window, once they are launched after a flush.
 * False: the pool has no page map, or gives out handles or tags. */
bool gasan_pool_bounds(struct gasan_pool *pool, uint64_t address, struct gasan_bounds *bounds);
/* Another number whenever bounds may have become others. One atomic load; no lock. */
uint64_t gasan_pool_epoch(const struct gasan_pool *pool);

/* Uploads shadow and tables; before each launch, which then needs the device's `order`, or finish_writes. Status as
 * gasan_shadow_flush, or ERR_OUT_OF_MEMORY, ERR_OUT_OF_HOST_MEMORY where all chunks are searched. An atomic load each
 * if nothing changed. */
struct gasan_status gasan_pool_flush(struct gasan_pool *pool);

void gasan_pool_counters(struct gasan_pool *pool, struct gasan_pool_counters *counters);

#ifdef __cplusplus
}
#endif
#endif
