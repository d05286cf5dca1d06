/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Canaries: bytes beside a chunk that no correct program writes, for code without checks. A guard (pool/pool.h) stops
 * accesses to unmapped pages; canaries show writes to the mapped bytes between the chunk and the guard.
 *
 * A canary's bytes depend on their address and on a key of the process, so that no overflow writes them by chance, and
 * neighbours may share them. They are written after the allocation and compared at the free, at the end of the process
 * and, with canary=launch, between kernels (launch/canary_watch.h). Only where the pool has a guard. Any thread.
 * One lock (`unwritten`), which allocations share. */
#ifndef GASAN_RT_CANARY_H
#define GASAN_RT_CANARY_H

#include "pool/pool.h"

struct gasan_rt_device;

/* Bytes `first` to `last` of a canary of the chunk were written. */
struct gasan_canary_damage {
  const struct gasan_chunk *chunk;
  uint64_t number; /* of the chunk (canary_table.h); 0: not known */
  uint64_t first, last;
  bool by_host;                           /* host code may have written them, and no check by a kernel has seen them */
  const struct gasan_pool_caller *caller; /* of the free before which they were compared; NULL: the process ends */
};

/* Returns true if chunks have canaries. */
bool gasan_canaries_are_on(const struct gasan_rt_device *state);
/* Returns the process's key; only if they are on. */
uint64_t gasan_canary_key(void);

/* Must be called before an allocation, and after its canaries are written or it has failed: in between,
 * gasan_canary_check_all waits, because the chunk is live and has no canaries. */
void gasan_canary_begin(void);
void gasan_canary_end(void);

/* Writes the canaries of the chunk that begins at the address. */
void gasan_canary_write(struct gasan_rt_device *state, uint64_t address);

/* Compares the canaries of the chunk that begins at the address, which `caller` will free. Reports a damaged one. No
 * kernel may still use the chunk. */
void gasan_canary_check(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address);

/* Compares the canaries of the chunk that begins at the address, and mends them if they are damaged. Then sets *chunk,
 * and *first and *last to its damaged bytes. Returns false if they are not, or if the chunk was freed. */
bool gasan_canary_mend(struct gasan_rt_device *state, uint64_t address, struct gasan_chunk *chunk, uint64_t *first,
                       uint64_t *last);

/* No kernel of gasan's that is launched from now on compares the chunk's canaries. Returns true if none that was
 * launched before still may: then gasan_canary_remove does not wait. */
bool gasan_canary_retire(struct gasan_rt_device *state, uint64_t address);

/* Must be called before the chunk's memory is given back: no kernel of gasan's compares its canaries any more. */
void gasan_canary_remove(struct gasan_rt_device *state, uint64_t address);

/* Compares the canaries of all live chunks, at the end of the process. Reports the first damaged one. */
void gasan_canary_check_all(struct gasan_rt_device *state);

#endif
