/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tells gasan about the blocks of a sub-allocator of device memory, so that gasan checks each of them.
 *
 * A sub-allocator (a caching allocator, an arena) takes memory from cudaMalloc, and hands out parts of it. It makes a
 * heap of that memory, and registers each part as a region when it hands the part out. From then on, the bytes of the
 * heap that are in no region are not accessible. A kernel that leaves its region, a copy that crosses a region's end,
 * and a use of an unregistered region are reported, with the stacks of both calls.
 *
 *     cudaMalloc(&pool, pool_size);
 *     gasan_heap_register(pool, pool_size);
 *     ...
 *     gasan_region_register(block, requested_size);    in the sub-allocator's malloc
 *     gasan_region_unregister(block);                  in its free
 *
 * For C11 and C++11, in code of the host. The functions look for gasan in the process, once. Without it they do nothing
 * and return GASAN_RESULT_NO_RUNTIME, so a program needs no library and no switch. They work in programs that were
 * built with gasan and under `gasan run`. Before glibc 2.34, link with -ldl.
 *
 * Sizes are in bytes. Addresses are device addresses. Any address and size is allowed, and a region is exact to a byte:
 * register the size that was asked for, not the rounded one. docs/suballocators.md lists the bugs that are found, and
 * which alignment makes checks quick.
 *
 * Threads: any thread may call any function. A function returns before the sub-allocator may use its effect elsewhere.
 *
 * Streams: the functions take effect for the host's copies and sets at once. For kernels, an unregistered region stays
 * accessible until the work that the device had when it was unregistered is complete, in all streams. So a
 * sub-allocator may unregister a region as soon as the host is done with it, and register another one over it, as long
 * as it orders the work on both itself. A region that is registered or unregistered while a stream captures may be used
 * by the graph: kernels may access it as long as the heap exists.
 *
 * Errors: a call with an error changes nothing, prints a message, and returns the reason. Freeing the memory with
 * cudaFree ends its heaps and regions. */
#ifndef GASAN_GASAN_H
#define GASAN_GASAN_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gasan_result {
  GASAN_RESULT_OK = 0,
  GASAN_RESULT_EMPTY = 1,         /* the size is 0 */
  GASAN_RESULT_NOT_IN_CHUNK = 2,  /* the range is not in one live allocation of cudaMalloc or cudaMallocAsync */
  GASAN_RESULT_NOT_IN_HEAP = 3,   /* the range is not in one registered heap */
  GASAN_RESULT_OVERLAP = 4,       /* a registered heap or region has bytes of the range */
  GASAN_RESULT_NO_HEAP = 5,       /* no registered heap begins at the address */
  GASAN_RESULT_NO_REGION = 6,     /* no registered region begins at the address, or contains it */
  GASAN_RESULT_NOT_SUPPORTED = 7, /* handles, tags, lookup=tree, lookup=list, or strict_temporal=1 */
  GASAN_RESULT_NO_MEMORY = 8,     /* of the host, or of the device for gasan's tables */
  GASAN_RESULT_NO_RUNTIME = 9,    /* gasan is not in the process */
};

/* The functions are part of their callers in stacks. */
#ifdef __clang__
#define GASAN_INLINE static inline __attribute__((always_inline, nodebug, unused))
#else
#define GASAN_INLINE static inline __attribute__((always_inline, artificial, unused))
#endif

/* Returns gasan's function with this name, or NULL. */
GASAN_INLINE void *gasan_find_function(const char *name) {
#ifdef RTLD_DEFAULT
  return dlsym(RTLD_DEFAULT, name);
#else
  return dlsym((void *)0, name);
#endif
}

/* Calls gasan's function with these parameters, if there is one. */
#define GASAN_CALL_RUNTIME(name, parameters, arguments)                                                                \
  static int(*function) parameters;                                                                                    \
  static char known;                                                                                                   \
  if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {                                                                    \
    __atomic_store_n((void **)(void *)&function, gasan_find_function(name), __ATOMIC_RELAXED);                         \
    __atomic_store_n(&known, (char)1, __ATOMIC_RELEASE);                                                               \
  }                                                                                                                    \
  return function ? function arguments : GASAN_RESULT_NO_RUNTIME

/* Makes a heap of [base, base + size), which must lie in one live allocation. Its bytes are not accessible until they
 * are in a region. The caller still owns the memory. EMPTY, NOT_IN_CHUNK, OVERLAP, NOT_SUPPORTED, NO_MEMORY. */
GASAN_INLINE int gasan_heap_register(const void *base, size_t size) {
  GASAN_CALL_RUNTIME("__gasan_heap_register", (const void *, size_t), (base, size));
}

/* Ends the heap that begins at `base`, and its regions. Its bytes are accessible again. NO_HEAP. */
GASAN_INLINE int gasan_heap_unregister(const void *base) {
  GASAN_CALL_RUNTIME("__gasan_heap_unregister", (const void *), (base));
}

/* Unregisters all regions of the heap that begins at `base`. NO_HEAP. */
GASAN_INLINE int gasan_heap_reset(const void *base) {
  GASAN_CALL_RUNTIME("__gasan_heap_reset", (const void *), (base));
}

/* Makes a region of [base, base + size), which must lie in one heap and overlap no other region. The caller's stack is
 * the region's in reports. EMPTY, NOT_IN_CHUNK, NOT_IN_HEAP, OVERLAP, NO_MEMORY. */
GASAN_INLINE int gasan_region_register(const void *base, size_t size) {
  GASAN_CALL_RUNTIME("__gasan_region_register", (const void *, size_t), (base, size));
}

/* Changes the size of the region that begins at `base`. EMPTY, NOT_IN_HEAP, OVERLAP, NO_REGION, NO_MEMORY. */
GASAN_INLINE int gasan_region_resize(const void *base, size_t size) {
  GASAN_CALL_RUNTIME("__gasan_region_resize", (const void *, size_t), (base, size));
}

/* Ends the region that begins at `base`. An access to its bytes is reported as a use after free, with the stacks of
 * this call and of the registration, until other regions have the bytes. NO_REGION. */
GASAN_INLINE int gasan_region_unregister(const void *base) {
  GASAN_CALL_RUNTIME("__gasan_region_unregister", (const void *), (base));
}

/* Finds the region that contains the address; sets *base and *size, unless they are NULL. NOT_IN_CHUNK, NOT_IN_HEAP,
 * NO_REGION. */
GASAN_INLINE int gasan_region_find(const void *address, const void **base, size_t *size) {
  GASAN_CALL_RUNTIME("__gasan_region_find", (const void *, const void **, size_t *), (address, base, size));
}

#undef GASAN_CALL_RUNTIME
#undef GASAN_INLINE

#ifdef __cplusplus
}
#endif
#endif
