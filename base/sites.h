/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The site table describes each instrumented access. It is a constant blob in the device image, under
 * GASAN_SITES_SYMBOL, little endian and 8-byte aligned. The pass writes it, the host runtime reads it.
 *
 * The blob begins with struct gasan_site_table, which has the offsets of all arrays, in bytes from the blob's start.
 * Strings end with NUL. A string is given by its offset in the string area; offset 0 is "". */
#ifndef GASAN_BASE_SITES_H
#define GASAN_BASE_SITES_H

#include "base/abi.h"

#define GASAN_SITES_MAGIC 0x54495347u /* "GSIT" */

struct gasan_site_table {
  uint32_t magic;
  uint32_t abi_version;  /* GASAN_ABI_VERSION of the pass */
  uint32_t total_size;   /* bytes, header included */
  uint32_t shadow_scale; /* log2 of the bytes for each shadow byte: 3, 7 or 8; 0: none, in GASAN_CODE_BST */
  uint32_t site_count, sites_offset;
  uint32_t frame_count, frames_offset;
  uint32_t kernel_count, kernels_offset;
  uint32_t reach_words, reach_offset; /* uint32_t words */
  uint32_t strings_size, strings_offset;
  uint32_t unchecked_count; /* accesses without a check: only the hardware computes their addresses */
  uint32_t code;            /* enum gasan_code */
  uint32_t object_count, objects_offset;
};

enum gasan_object_kind {
  GASAN_OBJECT_KIND_GLOBAL = 1, /* a __device__ variable */
  GASAN_OBJECT_KIND_CONSTANT,   /* a __constant__ variable, or a constant that the compiler made */
  GASAN_OBJECT_KIND_SHARED,     /* a static __shared__ variable */
  GASAN_OBJECT_KIND_DYNAMIC,    /* extern __shared__ */
  GASAN_OBJECT_KIND_STACK,      /* a variable of a function */
  GASAN_OBJECT_KIND_FIELD,      /* an array inside an object */
  GASAN_OBJECT_KIND_PARAMETER,  /* a parameter of a kernel or function, passed in memory */
};

/* A variable, for reports. */
struct gasan_object {
  uint32_t name;     /* in the source; a field: "Record::name" */
  uint32_t function; /* of a stack variable: demangled; else "" */
  uint32_t file;     /* "": unknown */
  uint32_t line;     /* 0: unknown */
  uint64_t size;     /* bytes; 0: known only at run time */
  uint32_t kind;     /* enum gasan_object_kind */
  uint32_t reserved;
};

struct gasan_site {
  uint32_t first_frame; /* index of the innermost frame; its inline callers follow */
  uint16_t frame_count; /* 0: the access lost its debug location */
  uint8_t access;       /* enum gasan_access */
  uint8_t reserved;
  uint32_t size;  /* bytes; 0: known only at run time (memory intrinsics) */
  uint32_t reach; /* word index in the reach area: a count n, then the indices of the n kernels that may run it */
};

struct gasan_frame {
  uint32_t function; /* demangled, with parameters, e.g. "scale(float*, int)" */
  uint32_t file;     /* as ASan prints it: absolute, unless a compiler option changes that */
  uint32_t line;     /* 0: unknown */
  uint32_t column;   /* 0: unknown */
};

struct gasan_kernel_entry {
  uint32_t name;       /* the symbol that the host registers */
  uint32_t pretty;     /* demangled */
  uint32_t site_count; /* sites that the kernel may reach */
  uint32_t flags;      /* enum gasan_kernel_flag, or'ed */
};

enum gasan_kernel_flag {
  /* The kernel has recursion, calls through pointers, or variables whose size is known only at run time. So the
   * compiler cannot compute the stack size of a thread, and a GPU's driver uses cudaLimitStackSize. */
  GASAN_KERNEL_UNKNOWN_STACK = 1,
};
#endif
