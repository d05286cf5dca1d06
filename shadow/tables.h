/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables by which device code finds the bounds of a pointer (shadow/bounds.h), for one window: page map and block
 * tables, or, with tags, entry map, entry tables and BST.
 *
 * The host's copy is authoritative; flush uploads what changed. They only grow, but what no pointer leads to is used
 * again. A chunk that was freed keeps its entry with size 0, and its addresses lead there until another chunk claims
 * the last of them: a use after free is found at the first touch. Addresses are device addresses, sizes bytes. One lock
 * inside: any thread. A running kernel sees either what was or what is, for each pointer to a live chunk. */
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

/* For the window [base, base + size): both multiples of 2 MiB. tags: pointers may name the first entries themselves
 * (shadow/tags.h). *tables is only set if the status is OK, else nothing is left behind. ERR_OUT_OF_HOST_MEMORY,
 * ERR_OUT_OF_ADDRESSES, ERR_OUT_OF_MEMORY, ERR_DEVICE. */
struct gasan_status gasan_tables_create(struct gasan_device *device, uint64_t base, uint64_t size, bool tags,
                                        struct gasan_tables **tables);
/* NULL: nothing. No kernel may run that looks something up. */
void gasan_tables_destroy(struct gasan_tables *tables);

/* Fills in where they are, and mapped_high. No lock. */
void gasan_tables_params(const struct gasan_tables *tables, struct gasan_params *params);

/* First all that can fail for a chunk that is going to be: an entry of its own, and tables for pages that it shares.
 * What pointers lead to stays as it is. ERR_OUT_OF_MEMORY, ERR_DEVICE: nothing changed. */
struct gasan_status gasan_tables_prepare(struct gasan_tables *tables, const struct gasan_pointer_span *span,
                                         uint32_t *entry);
void gasan_tables_cancel(struct gasan_tables *tables, uint32_t entry);
/* The chunk is there, and its pointers have the tag: all of its span leads to its entry. The span is the one that was
 * prepared. */
void gasan_tables_add(struct gasan_tables *tables, const struct gasan_pointer_span *span, uint32_t entry, uint32_t tag);
/* The chunk is freed. */
void gasan_tables_kill(struct gasan_tables *tables, uint32_t entry);
/* Its addresses may be given again: the entry is used again once nothing leads to it. */
void gasan_tables_release(struct gasan_tables *tables, uint32_t entry);

/* The bounds that device code finds for an address of the window, from the host's copy. */
struct gasan_bounds gasan_tables_find(struct gasan_tables *tables, uint64_t address);
/* Another number whenever what find returns may have become another. One atomic load. */
uint64_t gasan_tables_epoch(const struct gasan_tables *tables);

/* Uploads what changed, by write_later where the device has that; one atomic load if nothing did. On failure (the
 * device's status) the next flush tries again. */
struct gasan_status gasan_tables_flush(struct gasan_tables *tables);

/* Device bytes taken now. */
uint64_t gasan_tables_memory(struct gasan_tables *tables);
/* Of them those that say something; the rest is what pages of the device are larger. */
uint64_t gasan_tables_used(struct gasan_tables *tables);

#ifdef __cplusplus
}
#endif
#endif
