/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of a device's canaries (base/canary_check.h), by which a kernel compares them all, and the checks by that
 * kernel.
 *
 * A chunk's canaries are in the table from their writing until just before its memory is given back. A check that was
 * launched before may still read them; gasan_canary_table_remove waits for it. Any thread. One lock for each device
 * (`lock`), under which memory is allocated from the device. Checks must be begun by one thread at a time: they are
 * begun under the gate of the launch log. */
#ifndef GASAN_RT_CANARY_TABLE_H
#define GASAN_RT_CANARY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/canary_check.h"
#include "pool/pool.h"

struct gasan_canaries;
struct gasan_rt_device;

/* Adds the chunk's canaries, whose bytes are written. Without memory for the table, they are compared by the host
 * only. */
void gasan_canary_table_add(struct gasan_rt_device *state, const struct gasan_chunk *chunk, uint64_t key);

/* Counts a chunk whose canaries no check compares. Returns its number; 0: there is no memory for the table. */
uint64_t gasan_canary_table_count(struct gasan_rt_device *state, uint64_t key);

/* Checks that begin from now on do not compare the chunk's canaries. Returns true if no check that began before is in
 * flight: then remove does not wait. */
bool gasan_canary_table_retire(struct gasan_rt_device *state, uint64_t chunk);
/* Removes the canaries of the chunk, and waits until no check reads them. */
void gasan_canary_table_remove(struct gasan_rt_device *state, uint64_t chunk);

/* Returns the number of chunks added so far. A kernel that was launched before cannot write beside a chunk with a
 * greater number. No lock. */
uint64_t gasan_canary_table_chunks(const struct gasan_rt_device *state);

/* Finds the chunk with a canary at the address. Returns false if there is none. Sets *chunk to its base, *number to its
 * number. */
bool gasan_canary_table_find(struct gasan_rt_device *state, uint64_t address, uint64_t *chunk, uint64_t *number);
/* Returns the number of the chunk that begins at the address; 0: there is none. */
uint64_t gasan_canary_table_number(struct gasan_rt_device *state, uint64_t chunk);

/* Begins a check, or with a limit a guard: sets *check to the parameter of the kernel, which must be launched next, and
 * *few to true if that is gasan_canary_check_few. Returns false if there is nothing to check, too many checks are in
 * flight, or guards are stopped. gasan_canary_table_cancel takes it back if the launch failed. */
bool gasan_canary_table_begin(struct gasan_rt_device *state, uint64_t limit, struct gasan_canary_check *check,
                              bool *few);
void gasan_canary_table_cancel(struct gasan_rt_device *state, const struct gasan_canary_check *check);

/* Returns the number of the latest check; 0: none. */
uint64_t gasan_canary_table_latest(const struct gasan_rt_device *state);
/* Returns true if the check is finished. Only the latest GASAN_CANARY_CHECKS are known; older ones are. */
bool gasan_canary_table_finished(const struct gasan_rt_device *state, uint64_t number);
/* Guards end soon after stop, and none is begun until resume was called as often. stop returns false if the device has
 * no canaries; then resume must not be called. */
bool gasan_canary_table_stop(struct gasan_rt_device *state);
void gasan_canary_table_resume(struct gasan_rt_device *state);

/* Returns true if no check up to this one is in flight. */
bool gasan_canary_table_finished_until(const struct gasan_rt_device *state, uint64_t last);

/* Returns the check that found damage, and sets *address to the damaged byte; 0: none has. One load if there is none.
 * gasan_canary_table_forget makes room for the next one. */
uint64_t gasan_canary_table_damage(const struct gasan_rt_device *state, uint64_t *address);
void gasan_canary_table_forget(struct gasan_rt_device *state);

#endif
