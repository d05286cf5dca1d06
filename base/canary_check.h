/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Canaries, as the host and kernels see them: the bytes that a canary holds, and the table by which kernels check all
 * canaries. Kernels read the table and write results to it while the host changes it; so each member is read and
 * written at once, and `size` of a strip goes from 0 to its value after `address` was set. */
#ifndef GASAN_BASE_CANARY_CHECK_H
#define GASAN_BASE_CANARY_CHECK_H

#include <stdint.h>

/* Strips in a segment of the table, segments at most, and checks at most that may be in flight. */
#define GASAN_CANARY_SEGMENT 4096u
#define GASAN_CANARY_SEGMENTS 1024u
#define GASAN_CANARY_CHECKS 1024u

/* A canary: bytes of device memory beside a chunk. */
struct gasan_canary_strip {
  uint64_t address, size; /* size 0: not in use */
};

/* In host memory that kernels see. Checks have numbers, from 1. */
struct gasan_canary_table {
  /* The check that found damage first, and the first damaged byte that it saw; 0: none. found_by is set first. */
  uint64_t found_by, found_at;
  uint64_t stop;                            /* not 0: guards end */
  uint64_t strips;                          /* so many have ever been in use */
  uint64_t finished[GASAN_CANARY_CHECKS];   /* the latest finished check, by number % GASAN_CANARY_CHECKS */
  uint64_t segments[GASAN_CANARY_SEGMENTS]; /* addresses of arrays of strips, as kernels see them */
};

/* So many strips fit into the 4 KiB of a kernel's parameters. */
#define GASAN_CANARY_FEW 496u

/* The parameter of both kernels. gasan_canary_check_few compares the strips in `few`, which the launch has copied: a
 * read of the table takes 2 us of the GPU. gasan_canary_check compares those of the table, and may be a guard: a check
 * of one block that goes on comparing until `limit` nanoseconds have passed, the table's `stop` is set or damage is
 * found. `arrived` is device memory: a counter of blocks for each check in flight, 0 between checks. */
struct gasan_canary_check {
  uint64_t table, arrived, number, key;
  uint64_t strips; /* the first so many of the table or of `few`; a guard reads the number from the table */
  uint64_t limit;  /* 0: a check */
  uint64_t few[GASAN_CANARY_FEW]; /* address << 16 | size, which is less than 2^16 */
};

#ifdef GASAN_DEVICE_CODE
#define GASAN_CANARY_INLINE static __attribute__((device, always_inline))
#else
#define GASAN_CANARY_INLINE static inline
#endif

/* Returns the eight bytes of canaries at an address that is a multiple of 8, lowest address in the lowest byte: the
 * address and a key of the process, mixed as in splitmix64. */
GASAN_CANARY_INLINE uint64_t gasan_canary_word(uint64_t key, uint64_t address) {
  uint64_t word = key ^ address;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ull;
  word = (word ^ word >> 27) * 0x94d049bb133111ebull;
  return word ^ word >> 31;
}

GASAN_CANARY_INLINE uint8_t gasan_canary_byte(uint64_t key, uint64_t address) {
  return (uint8_t)(gasan_canary_word(key, address & ~7ull) >> 8 * (address & 7));
}

#endif
