/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Provides what CUDA sources get from nvcc and not from clang. gasan-nvcc includes this header before each CUDA source,
 * after clang's own CUDA headers. In a command that has C++ sources, too, these get the version only. */
#ifndef GASAN_NVCC_H
#define GASAN_NVCC_H

/* The version of the toolkit, whose headers and tools are used. */
#define __CUDACC_VER_MAJOR__ GASAN_NVCC_MAJOR
#define __CUDACC_VER_MINOR__ GASAN_NVCC_MINOR
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_API_VER_MAJOR__ GASAN_NVCC_MAJOR
#define __CUDA_API_VER_MINOR__ GASAN_NVCC_MINOR

/* The command line's macros that headers before this one would take for their own names. */
#ifdef GASAN_NVCC_N
#define N GASAN_NVCC_N
#endif
#ifdef GASAN_NVCC_V
#define V GASAN_NVCC_V
#endif
#ifdef GASAN_NVCC_X
#define X GASAN_NVCC_X
#endif
#ifdef GASAN_NVCC_Y
#define Y GASAN_NVCC_Y
#endif
#ifdef GASAN_NVCC_k
#define k GASAN_NVCC_k
#endif

/* For CMake's test which compiler this is. */
#ifdef GASAN_NVCC_IS_NVCC
#define __NVCC__ 1
#endif

#if defined(__CUDA__) && defined(__cplusplus)
#include <math.h> /* isfinite and its like in the global namespace */
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* nvcc's min and max for host code, for the types for which the device has them. Mixed types behave as on the
 * device. */
#define GASAN_NVCC_LEAST_AND_GREATEST(type, left, right)                                                               \
  static inline __attribute__((host, unused)) type min(left a, right b) {                                              \
    return (type)a < (type)b ? (type)a : (type)b;                                                                      \
  }                                                                                                                    \
  static inline __attribute__((host, unused)) type max(left a, right b) {                                              \
    return (type)a > (type)b ? (type)a : (type)b;                                                                      \
  }
GASAN_NVCC_LEAST_AND_GREATEST(int, int, int)
GASAN_NVCC_LEAST_AND_GREATEST(unsigned, unsigned, unsigned)
GASAN_NVCC_LEAST_AND_GREATEST(unsigned, int, unsigned)
GASAN_NVCC_LEAST_AND_GREATEST(unsigned, unsigned, int)
GASAN_NVCC_LEAST_AND_GREATEST(long, long, long)
GASAN_NVCC_LEAST_AND_GREATEST(unsigned long, unsigned long, unsigned long)
GASAN_NVCC_LEAST_AND_GREATEST(unsigned long, long, unsigned long)
GASAN_NVCC_LEAST_AND_GREATEST(unsigned long, unsigned long, long)
GASAN_NVCC_LEAST_AND_GREATEST(long long, long long, long long)
GASAN_NVCC_LEAST_AND_GREATEST(unsigned long long, unsigned long long, unsigned long long)
GASAN_NVCC_LEAST_AND_GREATEST(unsigned long long, long long, unsigned long long)
GASAN_NVCC_LEAST_AND_GREATEST(unsigned long long, unsigned long long, long long)
#undef GASAN_NVCC_LEAST_AND_GREATEST

/* If one value is a NaN and the other a number, the result is the number. */
#define GASAN_NVCC_LEAST_AND_GREATEST(type, left, right, suffix)                                                       \
  static inline __attribute__((host, unused)) type min(left a, right b) {                                              \
    return __builtin_fmin##suffix((type)a, (type)b);                                                                   \
  }                                                                                                                    \
  static inline __attribute__((host, unused)) type max(left a, right b) {                                              \
    return __builtin_fmax##suffix((type)a, (type)b);                                                                   \
  }
GASAN_NVCC_LEAST_AND_GREATEST(float, float, float, f)
GASAN_NVCC_LEAST_AND_GREATEST(double, double, double, )
GASAN_NVCC_LEAST_AND_GREATEST(double, float, double, )
GASAN_NVCC_LEAST_AND_GREATEST(double, double, float, )
#undef GASAN_NVCC_LEAST_AND_GREATEST

/* The same under the names of the device's functions for one type. */
#define GASAN_NVCC_LEAST_AND_GREATEST(prefix, type)                                                                    \
  static inline __attribute__((host, unused)) type prefix##min(type a, type b) {                                       \
    return a < b ? a : b;                                                                                              \
  }                                                                                                                    \
  static inline __attribute__((host, unused)) type prefix##max(type a, type b) {                                       \
    return a > b ? a : b;                                                                                              \
  }
GASAN_NVCC_LEAST_AND_GREATEST(u, unsigned)
GASAN_NVCC_LEAST_AND_GREATEST(ll, long long)
GASAN_NVCC_LEAST_AND_GREATEST(ull, unsigned long long)
#undef GASAN_NVCC_LEAST_AND_GREATEST

/* The type itself, from which a template's argument is not deduced: nvcc converts a value to the type of the memory. */
template <typename T>
struct gasan_nvcc_same {
  typedef T type;
};

/* Loads and stores with a cache hint, which clang has only for some types and hints. They are plain accesses, which are
 * checked and proven like all others. */
#define GASAN_NVCC_LOAD(name)                                                                                          \
  template <typename T>                                                                                                \
  static inline __attribute__((device, unused)) T name(const T *from) {                                                \
    return *from;                                                                                                      \
  }
#define GASAN_NVCC_STORE(name)                                                                                         \
  template <typename T>                                                                                                \
  static inline __attribute__((device, unused)) void name(T *to, typename gasan_nvcc_same<T>::type value) {            \
    *to = value;                                                                                                       \
  }
GASAN_NVCC_LOAD(__ldg)
GASAN_NVCC_LOAD(__ldca)
GASAN_NVCC_LOAD(__ldcg)
GASAN_NVCC_LOAD(__ldcs)
GASAN_NVCC_LOAD(__ldcv)
GASAN_NVCC_LOAD(__ldlu)
GASAN_NVCC_STORE(__stcg)
GASAN_NVCC_STORE(__stcs)
GASAN_NVCC_STORE(__stwb)
GASAN_NVCC_STORE(__stwt)
#undef GASAN_NVCC_LOAD
#undef GASAN_NVCC_STORE

/* nvcc's atomic built-ins. They always use system scope, because a wider scope than requested is correct, too. */
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#define GASAN_NVCC_ATOMIC                                                                                              \
  template <typename T>                                                                                                \
  static __attribute__((device, unused, always_inline))
GASAN_NVCC_ATOMIC T __nv_atomic_load_n(const T *from, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_load_n(from, order);
}
GASAN_NVCC_ATOMIC void __nv_atomic_store_n(T *to, typename gasan_nvcc_same<T>::type value, int order,
                                           int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_store_n(to, value, order);
}
GASAN_NVCC_ATOMIC void __nv_atomic_load(const T *from, T *value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_load(from, value, order);
}
GASAN_NVCC_ATOMIC void __nv_atomic_store(T *to, T *value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_store(to, value, order);
}
GASAN_NVCC_ATOMIC T __nv_atomic_exchange_n(T *at, typename gasan_nvcc_same<T>::type value, int order,
                                           int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_exchange_n(at, value, order);
}
GASAN_NVCC_ATOMIC void __nv_atomic_exchange(T *at, T *value, T *old, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_exchange(at, value, old, order);
}
GASAN_NVCC_ATOMIC bool __nv_atomic_compare_exchange(T *at, T *expected, T *value, bool weak, int success, int failure,
                                                    int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_compare_exchange(at, expected, value, weak, success, failure);
}
GASAN_NVCC_ATOMIC bool __nv_atomic_compare_exchange_n(T *at, T *expected, typename gasan_nvcc_same<T>::type value,
                                                      bool weak, int success, int failure,
                                                      int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_compare_exchange_n(at, expected, value, weak, success, failure);
}
#define GASAN_NVCC_FETCH(name)                                                                                         \
  GASAN_NVCC_ATOMIC T __nv_atomic_fetch_##name(T *at, typename gasan_nvcc_same<T>::type value, int order,              \
                                               int = __NV_THREAD_SCOPE_SYSTEM) {                                       \
    return __atomic_fetch_##name(at, value, order);                                                                    \
  }                                                                                                                    \
  GASAN_NVCC_ATOMIC void __nv_atomic_##name(T *at, typename gasan_nvcc_same<T>::type value, int order,                 \
                                            int = __NV_THREAD_SCOPE_SYSTEM) {                                          \
    __atomic_fetch_##name(at, value, order);                                                                           \
  }
GASAN_NVCC_FETCH(add)
GASAN_NVCC_FETCH(sub)
GASAN_NVCC_FETCH(and)
GASAN_NVCC_FETCH(or)
GASAN_NVCC_FETCH(xor)
GASAN_NVCC_FETCH(min)
GASAN_NVCC_FETCH(max)
#undef GASAN_NVCC_FETCH
static inline __attribute__((device, unused)) void __nv_atomic_thread_fence(int, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (scope <= __NV_THREAD_SCOPE_BLOCK)
    __nvvm_membar_cta();
  else
    __nvvm_membar_sys();
}
#undef GASAN_NVCC_ATOMIC
#endif
#endif
