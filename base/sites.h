/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The site table: what the compiler knows of each instrumented access, carried in the device image as one constant blob
 * under GASAN_SITES_SYMBOL, little endian, 8-byte aligned. The pass writes it, the host runtime reads it.
 *
 * Layout: struct gasan_site_table, then the arrays at the offsets that it names (bytes from the blob's start). Strings
 * are NUL-terminated; a string is its offset in the string area; offset 0 is "". */
#ifndef GASAN_BASE_SITES_H
#define GASAN_BASE_SITES_H

#include "base/abi.h"

#define GASAN_SITES_MAGIC 0x54495347u /* "GSIT" */

struct gasan_site_table {
  uint32_t magic;
  uint32_t abi_version;  /* GASAN_ABI_VERSION of the pass */
  uint32_t total_size;   /* bytes, header included */
  uint32_t shadow_scale; /* log2 of the bytes a shadow byte stands for: 3, 7 or 8; 0: GASAN_CODE_BST needs none */
  uint32_t site_count, sites_offset;
  uint32_t frame_count, frames_offset;
  uint32_t kernel_count, kernels_offset;
  uint32_t reach_words, reach_offset; /* uint32_t words */
  uint32_t strings_size, strings_offset;
  uint32_t unchecked_count; /* accesses that have no check: nobody but the hardware knows what they touch */
  uint32_t code;            /* enum gasan_code */
  uint32_t object_count, objects_offset;
};

enum gasan_object_kind {
  GASAN_OBJECT_KIND_GLOBAL = 1, /* a __device__ variable */
  GASAN_OBJECT_KIND_CONSTANT,   /* a __constant__ variable, or a constant of the compiler's */
  GASAN_OBJECT_KIND_SHARED,     /* a static __shared__ variable */
  GASAN_OBJECT_KIND_DYNAMIC,    /* extern __shared__ */
  GASAN_OBJECT_KIND_STACK,      /* a variable of a function */
  GASAN_OBJECT_KIND_FIELD,      /* an array inside of an object */
  GASAN_OBJECT_KIND_PARAMETER,  /* a kernel's or function's parameter that is passed in memory */
};

/* A variable, as reports name it. */
struct gasan_object {
  uint32_t name;     /* as in the source; a field: "Record::name" */
  uint32_t function; /* stack: the function that it is of, demangled; else "" */
  uint32_t file;     /* "" unknown */
  uint32_t line;     /* 0: unknown */
  uint64_t size;     /* bytes; 0: known only at run time */
  uint32_t kind;     /* enum gasan_object_kind */
  uint32_t reserved;
};

struct gasan_site {
  uint32_t first_frame; /* index; innermost frame first, then its inline callers */
  uint16_t frame_count; /* 0: no debug location was left */
  uint8_t access;       /* enum gasan_access */
  uint8_t reserved;
  uint32_t size;  /* bytes; 0: known only at run time (memory intrinsics) */
  uint32_t reach; /* word index in the reach area: a count n, then n indices of the kernels that may run it */
};

struct gasan_frame {
  uint32_t function; /* demangled, with parameters, e.g. "scale(float*, int)" */
  uint32_t file;     /* as ASan prints it: absolute, unless the compiler was told otherwise */
  uint32_t line;     /* 0: unknown */
  uint32_t column;   /* 0: unknown */
};

struct gasan_kernel_entry {
  uint32_t name;       /* symbol, as the host registers it */
  uint32_t pretty;     /* demangled */
  uint32_t site_count; /* sites that it may reach */
  uint32_t flags;      /* enum gasan_kernel_flag, or'ed */
};

enum gasan_kernel_flag {
  /* Recursion, calls through pointers, variables whose size is known at run time only: no compiler knows how much stack
   * a thread takes, and a GPU's driver gives it what cudaLimitStackSize says. */
  GASAN_KERNEL_UNKNOWN_STACK = 1,
};
#endif
