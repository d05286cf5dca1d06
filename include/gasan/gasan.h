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

/* Finds gasan's function with these parameters, once. */
#define GASAN_FIND_RUNTIME(name, parameters)                                                                           \
  static int(*function) parameters;                                                                                    \
  static char known;                                                                                                   \
  if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {                                                                    \
    __atomic_store_n((void **)(void *)&function, gasan_find_function(name), __ATOMIC_RELAXED);                         \
    __atomic_store_n(&known, (char)1, __ATOMIC_RELEASE);                                                               \
  }
/* Calls gasan's function, if there is one: returns its result; sets `result`; or calls it only. */
#define GASAN_CALL_RUNTIME(name, parameters, arguments)                                                                \
  GASAN_FIND_RUNTIME(name, parameters)                                                                                 \
  return function ? function arguments : GASAN_RESULT_NO_RUNTIME
#define GASAN_CALL(name, parameters, arguments)                                                                        \
  GASAN_FIND_RUNTIME(name, parameters)                                                                                 \
  if (function)                                                                                                        \
    result = function arguments;                                                                                       \
  (void)result
#define GASAN_CALL_VOID(name, parameters, arguments)                                                                   \
  GASAN_FIND_RUNTIME(name, parameters)                                                                                 \
  if (function)                                                                                                        \
  (void)function arguments

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

/* ASan's functions, with ASan's meaning, for device memory: the program calls them in code of the host. They do nothing
 * for other memory, and without gasan. A program whose host code has AddressSanitizer keeps the functions of these
 * names for host memory; it calls those that begin with gasan_.
 *
 * Accessible bytes that touch are one region, so an access may go from one block to the next: blocks need bytes between
 * them, as with ASan. gasan_region_register needs none, and is the better choice for blocks.
 *
 * gasan_poison_memory_region makes bytes inaccessible, and gasan_unpoison_memory_region accessible again; the streams'
 * order is that of regions, above. Bytes with accessible ones on both sides stay accessible, since pointers may lead
 * from one side to the other; a message says so. */
GASAN_INLINE void gasan_poison_memory_region(const volatile void *address, size_t size) {
  GASAN_CALL_VOID("__gasan_poison", (const void *, size_t), ((const void *)address, size));
}

GASAN_INLINE void gasan_unpoison_memory_region(const volatile void *address, size_t size) {
  GASAN_CALL_VOID("__gasan_unpoison", (const void *, size_t), ((const void *)address, size));
}

/* Returns the first byte of the range that is not accessible, or NULL. */
GASAN_INLINE void *gasan_region_is_poisoned(void *address, size_t size) {
  const void *first = NULL;
  int result = 0;
  GASAN_CALL("__gasan_find_poison", (const void *, size_t, const void **), (address, size, &first));
  return (void *)first;
}

/* Prints the allocation or region that explains the address, with the stacks of its allocation and free. */
GASAN_INLINE void gasan_describe_address(void *address) {
  GASAN_CALL_VOID("__gasan_describe_address", (const void *), (address));
}

/* Returns "heap" for an address in device memory, live or freed, and sets *base and *size to the region; else
 * "unknown". The name becomes "". */
GASAN_INLINE const char *gasan_locate_address(void *address, char *name, size_t name_size, void **base, size_t *size) {
  const void *found = NULL;
  size_t bytes = 0;
  int result = GASAN_RESULT_NO_RUNTIME;
  GASAN_CALL("__gasan_locate_address", (const void *, char *, size_t, const void **, size_t *),
             (address, name, name_size, &found, &bytes));
  if (base)
    *base = (void *)found;
  if (size)
    *size = bytes;
  return result == GASAN_RESULT_OK ? "heap" : "unknown";
}

/* Copy the stack of the allocation, or of the free, of the memory that contains the address. Return the number of
 * frames; 0: none is known. *thread gets the number of the thread, as reports print it. */
GASAN_INLINE size_t gasan_get_alloc_stack(void *address, void **trace, size_t size, int *thread) {
  int result = 0;
  GASAN_CALL("__gasan_get_stack", (const void *, int, void **, size_t, int *), (address, 0, trace, size, thread));
  return (size_t)result;
}

GASAN_INLINE size_t gasan_get_free_stack(void *address, void **trace, size_t size, int *thread) {
  int result = 0;
  GASAN_CALL("__gasan_get_stack", (const void *, int, void **, size_t, int *), (address, 1, trace, size, thread));
  return (size_t)result;
}

/* Sets a function that is called before gasan ends the process. NULL: none. */
GASAN_INLINE void gasan_set_death_callback(void (*callback)(void)) {
  GASAN_CALL_VOID("__gasan_set_death_callback", (void (*)(void)), (callback));
}

/* Sets a function that gets the text of each report, after it is printed. It may call no function of CUDA or gasan. */
GASAN_INLINE void gasan_set_error_report_callback(void (*callback)(const char *report)) {
  GASAN_CALL_VOID("__gasan_set_error_report_callback", (void (*)(const char *)), (callback));
}

/* A program that was built with gasan may define this function. It returns options in the format of GASAN_OPTIONS,
 * which are read before that variable. ASan's __asan_default_options keeps its meaning: it has the options of host
 * code. */
const char *__gasan_default_options(void);

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GASAN_HOST_HAS_ASAN 1
#endif
#endif
/* Compilers compile code of the host for the device, too, and emit nothing of it there. */
#if defined(__CUDA_ARCH__) || (!defined(__SANITIZE_ADDRESS__) && !defined(GASAN_HOST_HAS_ASAN))
#define GASAN_ALIAS __attribute__((weak, visibility("hidden")))
GASAN_ALIAS void __asan_poison_memory_region(void const volatile *address, size_t size) {
  gasan_poison_memory_region(address, size);
}
GASAN_ALIAS void __asan_unpoison_memory_region(void const volatile *address, size_t size) {
  gasan_unpoison_memory_region(address, size);
}
GASAN_ALIAS void *__asan_region_is_poisoned(void *address, size_t size) {
  return gasan_region_is_poisoned(address, size);
}
GASAN_ALIAS int __asan_address_is_poisoned(void const volatile *address) {
  return gasan_region_is_poisoned((void *)address, 1) != NULL;
}
GASAN_ALIAS void __asan_describe_address(void *address) {
  gasan_describe_address(address);
}
GASAN_ALIAS const char *__asan_locate_address(void *address, char *name, size_t name_size, void **base, size_t *size) {
  return gasan_locate_address(address, name, name_size, base, size);
}
GASAN_ALIAS size_t __asan_get_alloc_stack(void *address, void **trace, size_t size, int *thread) {
  return gasan_get_alloc_stack(address, trace, size, thread);
}
GASAN_ALIAS size_t __asan_get_free_stack(void *address, void **trace, size_t size, int *thread) {
  return gasan_get_free_stack(address, trace, size, thread);
}
GASAN_ALIAS void __asan_set_death_callback(void (*callback)(void)) {
  gasan_set_death_callback(callback);
}
GASAN_ALIAS void __asan_set_error_report_callback(void (*callback)(const char *report)) {
  gasan_set_error_report_callback(callback);
}
#undef GASAN_ALIAS
#endif
#undef GASAN_HOST_HAS_ASAN

/* The same names for kernels, if clang compiles them: which bytes are accessible at this moment. gasan knows no bytes
 * of local variables, of memory that is not the pool's in shadow mode, and of code without checks; such bytes count as
 * accessible. A kernel can poison nothing. */
#if defined(__clang__) && defined(__CUDA__)
#define GASAN_KERNEL static inline __attribute__((device, always_inline, unused))
#define GASAN_KERNEL_ALIAS __attribute__((device, weak, visibility("hidden")))
/* Code with checks has functions of gasan's in the place of these. */
__attribute__((device, weak, noinline)) unsigned long long __gasan_device_find_poison(unsigned long long,
                                                                                      unsigned long long) {
  return 0;
}
__attribute__((device, weak, noinline)) unsigned long long __gasan_device_find_base(unsigned long long) {
  return 0;
}
__attribute__((device, weak, noinline)) unsigned long long __gasan_device_find_size(unsigned long long) {
  return 0;
}

/* Returns the first byte of the range that is not accessible, or NULL. Shared memory is one range. */
GASAN_KERNEL void *gasan_region_is_poisoned(void *address, size_t size) {
  return (void *)__gasan_device_find_poison((unsigned long long)address, size);
}

/* Returns "heap" for an address in live memory of cudaMalloc, of a sub-allocator, or of malloc in a kernel, and sets
 * *base and *size; else "unknown". The name becomes "". */
GASAN_KERNEL const char *gasan_locate_address(void *address, char *name, size_t name_size, void **base, size_t *size) {
  const size_t bytes = __gasan_device_find_size((unsigned long long)address);
  if (name && name_size)
    *name = 0;
  if (base)
    *base = (void *)__gasan_device_find_base((unsigned long long)address);
  if (size)
    *size = bytes;
  return bytes ? "heap" : "unknown";
}

GASAN_KERNEL_ALIAS void *__asan_region_is_poisoned(void *address, size_t size) {
  return gasan_region_is_poisoned(address, size);
}
GASAN_KERNEL_ALIAS int __asan_address_is_poisoned(void const volatile *address) {
  return gasan_region_is_poisoned((void *)address, 1) != NULL;
}
GASAN_KERNEL_ALIAS const char *__asan_locate_address(void *address, char *name, size_t name_size, void **base,
                                                     size_t *size) {
  return gasan_locate_address(address, name, name_size, base, size);
}
#undef GASAN_KERNEL
#undef GASAN_KERNEL_ALIAS
#endif

#undef GASAN_CALL
#undef GASAN_CALL_VOID
#undef GASAN_CALL_RUNTIME
#undef GASAN_FIND_RUNTIME
#undef GASAN_INLINE

#ifdef __cplusplus
}
#endif
#endif
