/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pool: the address window from which all device allocations of one device come (gasan 3.2, 3.3).
 *
 * A chunk is one allocation: its user range, and a redzone of max(redzone_percent * size / 100, redzone_min) bytes on
 * each side. User ranges are aligned to 256 bytes or more. The redzones of neighbours overlap. The window's edges count
 * as neighbours, so every redzone is in the window.
 *
 * Physical memory is only under user ranges and other addresses in the same pages. A large chunk (more than half a page
 * of the device) starts at a page and does not share its pages; small chunks share pages.
 *
 * A freed chunk is poisoned. A freed small chunk waits in the quarantine with its memory; the quarantine is a FIFO of
 * bounded size. A freed large chunk gives its memory back at once, and its addresses stay dead until the window is used
 * up (a second FIFO). So a use after free is found even after other allocations. A freed chunk's record can be found
 * until its addresses are given to another chunk or its redzones.
 *
 * Addresses are device addresses, all sizes are in bytes. The pool has one lock: any thread may call any function. The
 * caller must end other threads' use of the pool before destroy. No function waits for a stream or a kernel: the caller
 * does so before it frees. */
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
/* The least number of bytes that a chunk counts in the quarantine. Its record and its redzone cost as much, and one
 * free must not push out dozens of smaller chunks, of hundreds of thousands. */
#define GASAN_POOL_LEAST_QUARANTINED 2048u
#define GASAN_POOL_GUARD_SAMPLE 16u
#define GASAN_POOL_MOST_CANARY 512u

struct gasan_pool;

/* How code in BST mode looks up a pointer's chunk (shadow/bounds.h). */
enum gasan_pool_lookup {
  GASAN_POOL_LOOKUP_NONE,
  GASAN_POOL_LOOKUP_PAGEMAP,
  GASAN_POOL_LOOKUP_TREE,
  GASAN_POOL_LOOKUP_LIST
};

/* Which edge of its pages a large chunk touches, with nothing mapped beyond it: for code without checks, whose accesses
 * the device itself then stops. BOTH: the end for one allocation, the start for the next. */
enum gasan_pool_guard {
  GASAN_POOL_GUARD_NONE,
  GASAN_POOL_GUARD_START = 1,
  GASAN_POOL_GUARD_END = 2,
  GASAN_POOL_GUARD_BOTH = GASAN_POOL_GUARD_START | GASAN_POOL_GUARD_END,
};

struct gasan_pool_options {
  uint64_t window_size;          /* power of two, 4 GiB to greatest_window; the window's base is a multiple of it */
  uint32_t shadow_scale;         /* 3, 7 or 8 (shadow/encoding.h); 0: no shadow */
  enum gasan_pool_lookup lookup; /* NONE: no tables */
  uint32_t redzone_percent;      /* L in gasan 3.3 */
  uint64_t redzone_min;          /* B in gasan 3.3; rounded up to GASAN_POOL_ALIGNMENT; at least 768 with tables */
  uint64_t alignment;            /* of user ranges: a power of two, at least GASAN_POOL_ALIGNMENT; 0: that */
  enum gasan_pool_guard guard;
  /* With a guard: the memory that live small chunks may take for pages of their own, as if they were large. Half of it
   * goes to the first such chunks, as long as that takes 5 % of the time at most; the other half to one chunk in
   * GASAN_POOL_GUARD_SAMPLE. */
  uint64_t guard_budget;
  /* 0: the pool has a window. Else it moves, and callers get handles with this number of id bits
   * (pool/moving_pool.h). */
  uint32_t handle_bits;
  uint32_t share, shares; /* of all ids, for a pool that moves: one share a device */
  /* For a pool that moves. After try_still has returned true, no kernel, copy or thread uses the pool's memory until
   * end_still. try_still returns false if it cannot ensure that now. It never waits for anything that may wait for the
   * caller. */
  bool (*try_still)(struct gasan_device *device);
  void (*end_still)(struct gasan_device *device);
  bool tags; /* all functions take and return tagged pointers (shadow/tags.h); not for a pool that moves */
  /* Bytes of freed user ranges that may wait with their memory, GASAN_POOL_LEAST_QUARANTINED or more for each. A chunk
   * greater than this does not wait. */
  uint64_t quarantine_size;
};

enum gasan_chunk_state { GASAN_CHUNK_LIVE, GASAN_CHUNK_FREED };

/* A copy of a chunk's record. */
struct gasan_chunk {
  uint64_t base, size;                  /* user range: the program's pointer to it, and the requested size */
  uint64_t redzone_left, redzone_right; /* up to the neighbours; once the addresses are free, the least redzone */
  /* In a pool with a guard: mapped bytes in front of and behind the user range that belong to no chunk, at most
   * GASAN_POOL_MOST_CANARY. */
  uint32_t canary_left, canary_right;
  enum gasan_chunk_state state;
  uint64_t sequence;                       /* number of the allocation, from 1 */
  const char *api;                         /* static: the function that allocated, "cudaMalloc" */
  uint32_t allocation_stack, free_stack;   /* the caller's ids; 0: none */
  uint32_t allocation_thread, free_thread; /* free_*: 0 while live */
  bool is_divided;                         /* has heaps of a sub-allocator (gasan_pool_add_heap) */
  /* Of a region: the chunk that it lies in. heap_size 0: this is a chunk. */
  uint64_t heap_base, heap_size;
  uint32_t heap_stack, heap_thread;
};

/* The origin of an allocation or a free, for the record. The api's text must be a static string. */
struct gasan_pool_caller {
  const char *api;
  uint32_t stack;
  uint32_t thread;
};

struct gasan_pool_counters {
  uint64_t live_chunks, live_bytes, peak_live_bytes;
  uint64_t quarantined_chunks, quarantined_bytes; /* in the quarantine, with their memory */
  uint64_t allocations, frees;                    /* successful ones */
  uint64_t reused;                       /* freed chunks whose records are gone because their addresses were reused */
  uint64_t guarded_chunks;               /* live chunks with pages of their own and a guard */
  uint64_t shared_allocations;           /* in a pool with a guard: those whose chunks share pages, so far */
  uint64_t guard_bytes;                  /* memory of small chunks with pages of their own */
  uint64_t mapped_bytes;                 /* mapped device memory: live, quarantined and idle pages; not the shadow's */
  uint64_t used_window;                  /* bytes from the window's base to the end of the highest chunk so far */
  uint64_t dead_chunks, dead_bytes;      /* freed large chunks, without memory */
  uint64_t tables_bytes, tables_used;    /* device memory of the tables, and its used part */
  uint64_t segments, moves;              /* of a pool that moves: its plain allocations now, and its moves so far */
  uint64_t live_regions, region_changes; /* of sub-allocators: live regions, and changes of heaps and regions so far */
};

/* Returns the greatest size of a window. Instrumented code computes shadow offsets in 32 bits if the scale is 7 or 8,
 * which is enough for 2^(32 + scale) bytes, and in 64 bits if it is 3. Scale 0 (no shadow) is like 7. Returns 0 for any
 * other scale. */
uint64_t gasan_pool_greatest_window(uint32_t shadow_scale);

/* Sets default options. The window is four times the device's memory, rounded up to a power of two, at least 4 GiB, at
 * most greatest_window and 512 GiB. L is 50 %, B is 256. The alignment is 512, for textures. The quarantine: 256 MiB.
 */
void gasan_pool_default_options(struct gasan_device *device, uint32_t shadow_scale, struct gasan_pool_options *options);

/* Reserves the window, and creates shadow and tables. Sets *pool only if the status is OK; a failure leaves nothing
 * behind. ERR_INVALID: an option is out of its range. ERR_NOT_SUPPORTED: the device has no virtual memory management.
 * ERR_OUT_OF_HOST_MEMORY, ERR_OUT_OF_ADDRESSES, ERR_OUT_OF_MEMORY, ERR_DEVICE. */
struct gasan_status gasan_pool_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                      struct gasan_pool **pool);
/* Releases everything, including live chunks. Leaks memory that the device refuses to take back. NULL: does nothing. */
void gasan_pool_destroy(struct gasan_pool *pool);

/* Returns whether the pool moves (options.handle_bits). Then all functions here take and return handles. */
bool gasan_pool_moves(const struct gasan_pool *pool);
/* Returns the device address of struct gasan_handle_entry[1 << handle_bits]; 0 if the pool does not move. */
uint64_t gasan_pool_handle_table(const struct gasan_pool *pool);

/* Returns whether the program's pointers are handles or tagged pointers, not plain device addresses. */
bool gasan_pool_translates(const struct gasan_pool *pool);
/* Translates the program's pointer to a device address, which stays valid until the memory moves. With `pin` the memory
 * never moves again. Checks neither the offset nor the tag. ERR_NOT_FOUND: a handle without a live object. */
struct gasan_status gasan_pool_translate(struct gasan_pool *pool, uint64_t pointer, bool pin, uint64_t *address);
/* Returns the program's pointer for a device address in a live chunk or at its end; 0: there is no such chunk. */
uint64_t gasan_pool_pointer_to(struct gasan_pool *pool, uint64_t address);

/* Returns the shadow, which the pool owns; NULL: none. No lock. */
struct gasan_shadow *gasan_pool_shadow(struct gasan_pool *pool);
/* Sets the parameters for window, shadow and tables, and no others. No lock. */
void gasan_pool_params(const struct gasan_pool *pool, struct gasan_params *params);
/* Makes a pool without tables ready for code in BST mode, which then searches a tree of all chunks. The parameters
 * change (gasan_pool_params), so no thread may read them during the call; all else is as before, regions included. OK
 * and nothing is done if the pool has tables. ERR_OUT_OF_HOST_MEMORY, ERR_OUT_OF_ADDRESSES, ERR_OUT_OF_MEMORY,
 * ERR_DEVICE; ERR_NOT_SUPPORTED: the pool moves. */
struct gasan_status gasan_pool_add_lookup(struct gasan_pool *pool);
struct gasan_device *gasan_pool_device(struct gasan_pool *pool);
uint64_t gasan_pool_window_base(const struct gasan_pool *pool);
uint64_t gasan_pool_window_size(const struct gasan_pool *pool);

/* Allocates a chunk with undefined contents. Kernels that are launched after the next gasan_pool_flush may use it. If
 * addresses run out, the pool first reuses those of dead chunks, the oldest first and no more than needed. If that is
 * not enough, or if memory runs out, it releases the quarantine. A failure changes nothing else.
 *
 * ERR_INVALID: the size is 0. ERR_OUT_OF_MEMORY: the size is greater than the window, or the device has no memory.
 * ERR_OUT_OF_ADDRESSES: the window has no place for the chunk and its redzones. ERR_OUT_OF_HOST_MEMORY. ERR_DEVICE. */
struct gasan_status gasan_pool_allocate(struct gasan_pool *pool, uint64_t size, struct gasan_pool_caller caller,
                                        uint64_t *address);

enum gasan_pool_free_result {
  GASAN_POOL_FREED,
  GASAN_POOL_NOT_IN_WINDOW, /* other memory, or 0 */
  GASAN_POOL_DOUBLE_FREE,   /* the start of a freed chunk */
  GASAN_POOL_NOT_A_CHUNK,   /* in the window, but not the start of a chunk */
};

/* Frees the chunk. Must be called when no kernel uses the chunk any more. If `chunk` is not NULL, sets *chunk to the
 * chunk's record; for NOT_A_CHUNK, to the nearest chunk's, or to size 0 if there is none. If the device fails to take
 * memory back, the chunk is still freed: it waits in the quarantine, and the pool tries again later. */
enum gasan_pool_free_result gasan_pool_free(struct gasan_pool *pool, uint64_t address, struct gasan_pool_caller caller,
                                            struct gasan_chunk *chunk);

/* Returns whether the address is in the window; it need not be in a chunk. No lock. */
bool gasan_pool_owns(const struct gasan_pool *pool, uint64_t address);

/* Copies the record of the chunk, live or freed, that explains the address best: the chunk whose user range contains
 * it, else the nearest chunk, a live one at equal distance. Returns false if there is no chunk, or if the address is
 * not in the window. */
bool gasan_pool_find(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *chunk);

/* Returns whether every byte of [address, address + size) is in one live chunk's user range. If not, sets *fault to the
 * first byte that is outside. Returns true for size 0 and any address. */
bool gasan_pool_covers(struct gasan_pool *pool, uint64_t address, uint64_t size, uint64_t *fault);

/* Calls visit for each live chunk, in the order of addresses (of ids, if the pool moves), until visit returns false.
 * Holds the pool's lock, so visit must not call the pool. */
void gasan_pool_each_live(struct gasan_pool *pool, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                          void *context);

/* Allows or forbids the device with the ordinal `peer` to use the pool's memory, present and future. After a failure
 * (the device's status) that device may not use it. ERR_NOT_SUPPORTED: the pool moves, or there is only one device of
 * the kind. */
struct gasan_status gasan_pool_allow_peer(struct gasan_pool *pool, int peer, bool may);
/* Sets *bounds to the bounds that a kernel launched after a flush finds for an address in the window, with
 * GASAN_LOOKUP_PAGEMAP; object GASAN_OBJECT_REGIONS: the kernel searches the foreign ranges. Returns false if the
 * address is not in the window, if the pool has no page map, or if the program's pointers are handles or tagged. */
bool gasan_pool_bounds(struct gasan_pool *pool, uint64_t address, struct gasan_bounds *bounds);
/* Returns a number that changes whenever gasan_pool_bounds may return something else. One atomic load; no lock. */
uint64_t gasan_pool_epoch(const struct gasan_pool *pool);

/* Regions of sub-allocators. A sub-allocator makes a heap of a live chunk, or of a part of it, and divides it in
 * regions. The bytes of a heap that are in no live region are not accessible. A region has bounds and a record like a
 * chunk. Its base and size are any; bounds in BST mode are exact to a byte, but a pointer into a region that begins in
 * the middle of a block (shadow/bounds.h) may reach the bytes of its first block before it, and a pointer into the
 * first block of a region that begins where another ends has the bounds of both. With a shadow, a byte in front of a
 * region in the same block of the shadow is accessible.
 *
 * The end of a chunk ends its heaps, and the end of a heap its regions.
 *
 * `ticket`, not 0: work that was launched before may still use the memory that becomes inaccessible. It stays
 * accessible for kernels, but not for gasan_pool_covers, until gasan_pool_settle gets the ticket; for
 * GASAN_TICKET_NEVER, it stays accessible for both until the heap ends. */
#define GASAN_TICKET_NEVER UINT64_MAX

enum gasan_region_result {
  GASAN_REGIONS_OK,
  GASAN_REGIONS_EMPTY,         /* the size is 0 */
  GASAN_REGIONS_NOT_IN_CHUNK,  /* the range is not in one live chunk */
  GASAN_REGIONS_NOT_IN_HEAP,   /* the range is not in one heap; *about: the chunk */
  GASAN_REGIONS_OVERLAP,       /* a heap or a live region has bytes of the range; *about: that one */
  GASAN_REGIONS_NO_HEAP,       /* no heap begins at the address */
  GASAN_REGIONS_NO_REGION,     /* no live region begins at the address; *about: the freed or nearest one */
  GASAN_REGIONS_NOT_SUPPORTED, /* the program's pointers are no addresses, or bounds are searched (lookup) */
  GASAN_REGIONS_NO_MEMORY,     /* of the host, or of the device for tables */
};

/* If a function returns anything but OK, nothing changed. *about is set where enum gasan_region_result says so; else
 * its size is 0. `about` must not be NULL. */
enum gasan_region_result gasan_pool_add_heap(struct gasan_pool *pool, uint64_t base, uint64_t size, uint64_t ticket,
                                             struct gasan_chunk *about);
/* Makes the heap a usual part of its chunk again. */
enum gasan_region_result gasan_pool_remove_heap(struct gasan_pool *pool, uint64_t base);
/* Frees all regions of the heap. */
enum gasan_region_result gasan_pool_reset_heap(struct gasan_pool *pool, uint64_t base, struct gasan_pool_caller caller,
                                               uint64_t ticket);
/* `in_graph`: a graph may use the region as long as the heap exists, so the ticket of its free is GASAN_TICKET_NEVER.
 */
enum gasan_region_result gasan_pool_add_region(struct gasan_pool *pool, uint64_t base, uint64_t size, bool in_graph,
                                               struct gasan_pool_caller caller, struct gasan_chunk *about);
/* Changes the size of the region; a smaller one frees the bytes at its end, a larger one takes bytes behind it. */
enum gasan_region_result gasan_pool_resize_region(struct gasan_pool *pool, uint64_t base, uint64_t size,
                                                  uint64_t ticket, struct gasan_chunk *about);
/* Frees the region. Its record is kept until other regions have all of its bytes. */
enum gasan_region_result gasan_pool_end_region(struct gasan_pool *pool, uint64_t base, struct gasan_pool_caller caller,
                                               uint64_t ticket, struct gasan_chunk *about);
/* Finds the live region that contains the address. NOT_IN_CHUNK, NOT_IN_HEAP, NO_REGION: there is none. */
enum gasan_region_result gasan_pool_find_region(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *region);
/* Must be called when all work that was launched before the ticket was given is complete. */
void gasan_pool_settle(struct gasan_pool *pool, uint64_t ticket);

/* Does the same as gasan_pool_find, but in a heap it finds regions in place of the chunk. For reports. */
bool gasan_pool_explain(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *chunk);
/* Copies the record of the region to which a pointer with these bounds belongs, whose access touched `fault`. Returns
 * false if the bounds are not those of a pointer into a chunk with heaps. *in_region is false if the pointer belongs to
 * no region; *chunk is then the nearest one, or the chunk. */
bool gasan_pool_explain_bounds(struct gasan_pool *pool, uint64_t base, uint64_t size, uint64_t fault,
                               struct gasan_chunk *chunk, bool *in_region);

/* Visits the bounds of pointers for which gasan_pool_bounds finds GASAN_OBJECT_REGIONS; with `all`, those of all
 * pointers into chunks with heaps. Each chunk's are ascending. Holds the pool's lock, so visit must not call the pool.
 */
void gasan_pool_each_region_bounds(struct gasan_pool *pool, bool all,
                                   void (*visit)(const struct gasan_range *range, void *context), void *context);
/* Returns a number that changes whenever gasan_pool_each_region_bounds may visit something else. One atomic load. */
uint64_t gasan_pool_region_epoch(const struct gasan_pool *pool);

/* Uploads shadow and tables. Must be called before each launch; the launch also needs the device's `order` or
 * finish_writes. Status as gasan_shadow_flush; with lookup=tree and lookup=list also ERR_OUT_OF_MEMORY and
 * ERR_OUT_OF_HOST_MEMORY. One atomic load for each table if nothing changed. */
struct gasan_status gasan_pool_flush(struct gasan_pool *pool);

void gasan_pool_counters(struct gasan_pool *pool, struct gasan_pool_counters *counters);

#ifdef __cplusplus
}
#endif
#endif
