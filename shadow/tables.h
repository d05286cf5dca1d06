/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables in which device code looks up the bounds of a pointer (shadow/bounds.h), for one window: page map and
 * block tables, or, with tags, entry map, entry tables and BST.
 *
 * The host's copy is authoritative; flush uploads its changes. The tables only grow, but parts to which no pointer
 * leads are reused. A freed chunk keeps its entry, with size 0, and its addresses lead to that entry until other chunks
 * have all of them. So a use after free is found at the first access. Addresses are device addresses, sizes are in
 * bytes. The tables have one lock: any thread may call any function. For each pointer to a live chunk, a running kernel
 * sees either the old state or the new one. */
#ifndef GASAN_SHADOW_TABLES_H
#define GASAN_SHADOW_TABLES_H

#include "base/abi.h"
#include "base/status.h"
#include "device/device.h"
#include "shadow/bounds.h"
#include "shadow/pointer_span.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_tables;

/* Creates the tables for the window [base, base + size), both multiples of 2 MiB. With `tags`, pointers may name the
 * first entries (shadow/tags.h). Sets *tables only if the status is OK; a failure leaves nothing behind.
 * ERR_OUT_OF_HOST_MEMORY, ERR_OUT_OF_ADDRESSES, ERR_OUT_OF_MEMORY, ERR_DEVICE. */
struct gasan_status gasan_tables_create(struct gasan_device *device, uint64_t base, uint64_t size, bool tags,
                                        struct gasan_tables **tables);
/* Releases everything. No kernel may look up bounds any more. NULL: does nothing. */
void gasan_tables_destroy(struct gasan_tables *tables);

/* Sets the parameters for the tables' addresses, and mapped_high. No lock. */
void gasan_tables_params(const struct gasan_tables *tables, struct gasan_params *params);

/* Allocates an entry for a future chunk, and tables for the pages that it shares: everything that can fail. Lookups do
 * not change. ERR_OUT_OF_MEMORY, ERR_DEVICE: nothing changed. */
struct gasan_status gasan_tables_prepare(struct gasan_tables *tables, const struct gasan_pointer_span *span,
                                         uint32_t *entry);
void gasan_tables_cancel(struct gasan_tables *tables, uint32_t entry);
/* Adds the chunk, whose pointers have the tag: its whole span leads to its entry from now on. The span must
 * be the prepared one. */
void gasan_tables_add(struct gasan_tables *tables, const struct gasan_pointer_span *span, uint32_t entry, uint32_t tag);
/* Marks the chunk as freed: its entry gets size 0. */
void gasan_tables_kill(struct gasan_tables *tables, uint32_t entry);
/* Lets the addresses of [low, high), multiples of a block, lead to the chunk's entry again, after entries that were
 * added with parts of the chunk's span (the regions of a sub-allocator). */
void gasan_tables_return(struct gasan_tables *tables, uint64_t low, uint64_t high, uint32_t entry);
/* Releases the freed chunk's entry: it is reused as soon as no address leads to it. The chunk's addresses are free. */
void gasan_tables_release(struct gasan_tables *tables, uint32_t entry);

/* Returns the bounds that device code finds for an address in the window, from the host's copy. */
struct gasan_bounds gasan_tables_find(struct gasan_tables *tables, uint64_t address);
/* Returns a number that changes whenever gasan_tables_find may return something else. One atomic load. */
uint64_t gasan_tables_epoch(const struct gasan_tables *tables);

/* Uploads all changes, by write_later if the device has it; one atomic load if there are none. After a failure (the
 * device's status) the next flush tries again. */
struct gasan_status gasan_tables_flush(struct gasan_tables *tables);

/* Returns the bytes of device memory in use. */
uint64_t gasan_tables_memory(struct gasan_tables *tables);
/* Returns how many of these bytes have contents. The rest comes from rounding up to pages of the device. */
uint64_t gasan_tables_used(struct gasan_tables *tables);

#ifdef __cplusplus
}
#endif
#endif
