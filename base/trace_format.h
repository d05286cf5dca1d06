/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Traces of accesses (-fsanitize-gpu-address-trace): the buffer into which kernels write, and the format of the file.
 * docs/internals/trace.md describes both. This header is C11 and device code. All numbers are little endian. */
#ifndef GASAN_BASE_TRACE_FORMAT_H
#define GASAN_BASE_TRACE_FORMAT_H

#include "base/abi.h"

enum gasan_trace_type {
  GASAN_TRACE_LOOKUP = 1, /* the bounds of a root pointer are looked up */
  GASAN_TRACE_READ,       /* checked accesses */
  GASAN_TRACE_WRITE,
  GASAN_TRACE_ATOMIC,
};

/* A record: this header, then the addresses of the lanes in the mask, from the lowest lane. */
struct gasan_trace_record {
  uint32_t site;   /* index in the module's site table; a lookup has the site of one of its accesses */
  uint8_t type;    /* enum gasan_trace_type; 0: not written */
  uint8_t affine;  /* 1: in the file, two words replace the addresses: the first address, and the step from each lane of
                      the mask to the next */
  uint16_t sm;     /* %smid; 0 on the CPU device */
  uint32_t block;  /* linear index in the grid */
  uint32_t mask;   /* active lanes */
  uint16_t warp;   /* in the block */
  uint16_t module; /* from 1, in the order in which the runtime has prepared the modules */
  uint32_t size;   /* bytes of each access; 0: a lookup */
};

#define GASAN_TRACE_HEADER_WORDS 3u /* of a record, in words of 8 bytes */

/* Device memory. The host resets all members but the first four after each launch. */
struct gasan_trace_buffer {
  uint64_t words;    /* address of the records: uint64_t[capacity], all 0 at first */
  uint64_t capacity; /* in words of 8 bytes, less than 2^32 */
  uint32_t sample;   /* one of so many blocks is traced */
  uint32_t warps;    /* 1: lanes of a warp write one record together; 0: each lane writes its own (CPU device) */
  uint64_t reserved;
  uint64_t used;         /* words claimed; may exceed the capacity */
  uint64_t dropped;      /* records without room */
  uint64_t instructions; /* executed LLVM instructions, of all threads of traced blocks, as are the counts below */
  uint64_t global, shared, local; /* executed accesses, by memory */
  uint64_t lookups;
};

#define GASAN_TRACE_MAGIC 0x33435254534147ull /* "GASTRC3" */

struct gasan_trace_file {
  uint64_t magic;
  uint32_t cpu;    /* 1: the trace is of the CPU device */
  uint32_t sample; /* as in the buffer */
};

/* One launch. Behind it: the name (padded with zeros to 8 bytes), allocations as pairs of base and size, records. */
struct gasan_trace_launch {
  uint32_t grid[3], block[3];
  uint32_t name_size; /* bytes, padding included */
  uint32_t same;      /* 1: the live allocations are those of the launch before, and are left out */
  uint64_t allocations, record_words;
  uint64_t dropped, instructions, global, shared, local, lookups; /* as in the buffer */
};

#endif
