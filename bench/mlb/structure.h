/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The structures that a miss of the buffer searches (gpuarmor 4.2): the loads of a search, with real sizes. */
#ifndef GASAN_BENCH_MLB_STRUCTURE_H
#define GASAN_BENCH_MLB_STRUCTURE_H

#include <stdint.h>

enum mlb_structure {
  MLB_TABLE, /* entries of 16 bytes; an oracle knows the entry */
  MLB_TREE,  /* a balanced search tree of nodes of 32 bytes */
  MLB_LIST,  /* a list of nodes of 32 bytes, in the order of addresses */
};
#define MLB_STRUCTURES 3

/* The metadata begin here: no allocation is so high. */
#define MLB_METADATA_BASE (1ull << 60)

/* Returns the bytes of the structure for this number of allocations. */
uint64_t mlb_structure_size(enum mlb_structure structure, uint64_t allocations);

/* Returns the address of an allocation's metadata. */
uint64_t mlb_structure_location(enum mlb_structure structure, uint64_t allocation);

/* Calls visit with the address of each load of a search for an allocation, in order; of a list, for the first `most`
 * loads only. A load has 16 bytes. Returns the number of all loads. */
uint64_t mlb_structure_search(enum mlb_structure structure, uint64_t allocations, uint64_t allocation, uint64_t most,
                              void (*visit)(uint64_t address, void *context), void *context);

#endif
