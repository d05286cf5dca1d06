/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements warp operations. The engine makes the lanes meet (device/cpu/warp.c). */
#include "device/cpu/helpers/helper.h"

static inline CONVERGENT uint32_t warp(uint32_t operation, uint32_t mask, uint64_t value) {
  return gasan_cpu_warp(operation, mask, value, 0, 0, 0);
}

CONVERGENT void NVVM(bar_warp_sync)(uint32_t mask) {
  warp(GASAN_WARP_SYNC, mask, 0);
}
CONVERGENT uint32_t NVVM(activemask)(void) {
  return gasan_cpu_activemask();
}

CONVERGENT bool NVVM(vote_all_sync)(uint32_t mask, bool p) {
  return warp(GASAN_WARP_ALL, mask, p);
}
CONVERGENT bool NVVM(vote_any_sync)(uint32_t mask, bool p) {
  return warp(GASAN_WARP_ANY, mask, p);
}
CONVERGENT bool NVVM(vote_uni_sync)(uint32_t mask, bool p) {
  return warp(GASAN_WARP_UNI, mask, p);
}
CONVERGENT uint32_t NVVM(vote_ballot_sync)(uint32_t mask, bool p) {
  return warp(GASAN_WARP_BALLOT, mask, p);
}

/* The operations from before Volta, which have no mask: the active lanes take part. */
CONVERGENT bool NVVM(vote_all)(bool p) {
  return warp(GASAN_WARP_ALL, gasan_cpu_activemask(), p);
}
CONVERGENT bool NVVM(vote_any)(bool p) {
  return warp(GASAN_WARP_ANY, gasan_cpu_activemask(), p);
}
CONVERGENT bool NVVM(vote_uni)(bool p) {
  return warp(GASAN_WARP_UNI, gasan_cpu_activemask(), p);
}
CONVERGENT uint32_t NVVM(vote_ballot)(bool p) {
  return warp(GASAN_WARP_BALLOT, gasan_cpu_activemask(), p);
}

CONVERGENT uint32_t NVVM(match_any_sync_i32)(uint32_t mask, uint32_t value) {
  return warp(GASAN_WARP_MATCH_ANY, mask, value);
}
CONVERGENT uint32_t NVVM(match_any_sync_i64)(uint32_t mask, uint64_t value) {
  return warp(GASAN_WARP_MATCH_ANY, mask, value);
}
CONVERGENT void NVVM(match_all_sync_i64p)(uint32_t mask, uint64_t value, uint32_t *lanes, bool *same) {
  uint32_t predicate = 0;
  *lanes = gasan_cpu_warp(GASAN_WARP_MATCH_ALL, mask, value, 0, 0, &predicate);
  *same = predicate != 0;
}
CONVERGENT void NVVM(match_all_sync_i32p)(uint32_t mask, uint32_t value, uint32_t *lanes, bool *same) {
  NVVM(match_all_sync_i64p)(mask, value, lanes, same);
}

CONVERGENT void NVVM(elect_sync)(uint32_t mask, uint32_t *leader, bool *elected) {
  uint32_t lanes = warp(GASAN_WARP_ELECT, mask, 1);
  *leader = (uint32_t)__builtin_ctz(lanes | 0x80000000u);
  *elected = *leader == (THREAD.linear & 31);
}

#define SHUFFLE(name, operation)                                                                                       \
  CONVERGENT uint32_t NVVM(shfl_sync_##name##_i32)(uint32_t mask, uint32_t value, uint32_t b, uint32_t c) {            \
    return gasan_cpu_warp(operation, mask, value, b, c, 0);                                                            \
  }                                                                                                                    \
  CONVERGENT float NVVM(shfl_sync_##name##_f32)(uint32_t mask, float value, uint32_t b, uint32_t c) {                  \
    return gasan_float_of_bits(gasan_cpu_warp(operation, mask, gasan_bits_of_float(value), b, c, 0));                  \
  }                                                                                                                    \
  CONVERGENT void NVVM(shfl_sync_##name##_i32p)(uint32_t mask, uint32_t value, uint32_t b, uint32_t c,                 \
                                                uint32_t *result, bool *valid) {                                       \
    uint32_t predicate = 0;                                                                                            \
    *result = gasan_cpu_warp(operation, mask, value, b, c, &predicate);                                                \
    *valid = predicate != 0;                                                                                           \
  }                                                                                                                    \
  CONVERGENT void NVVM(shfl_sync_##name##_f32p)(uint32_t mask, float value, uint32_t b, uint32_t c, float *result,     \
                                                bool *valid) {                                                         \
    uint32_t predicate = 0;                                                                                            \
    *result = gasan_float_of_bits(gasan_cpu_warp(operation, mask, gasan_bits_of_float(value), b, c, &predicate));      \
    *valid = predicate != 0;                                                                                           \
  }                                                                                                                    \
  CONVERGENT uint32_t NVVM(shfl_##name##_i32)(uint32_t value, uint32_t b, uint32_t c) {                                \
    return gasan_cpu_warp(operation, gasan_cpu_activemask(), value, b, c, 0);                                          \
  }                                                                                                                    \
  CONVERGENT float NVVM(shfl_##name##_f32)(float value, uint32_t b, uint32_t c) {                                      \
    return NVVM(shfl_sync_##name##_f32)(gasan_cpu_activemask(), value, b, c);                                          \
  }

SHUFFLE(idx, GASAN_WARP_SHFL_IDX)
SHUFFLE(up, GASAN_WARP_SHFL_UP)
SHUFFLE(down, GASAN_WARP_SHFL_DOWN)
SHUFFLE(bfly, GASAN_WARP_SHFL_BFLY)

#define REDUCE(name, operation)                                                                                        \
  CONVERGENT uint32_t NVVM(redux_sync_##name)(uint32_t value, uint32_t mask) {                                         \
    return warp(operation, mask, value);                                                                               \
  }

REDUCE(add, GASAN_WARP_ADD)
REDUCE(min, GASAN_WARP_MIN)
REDUCE(max, GASAN_WARP_MAX)
REDUCE(umin, GASAN_WARP_UMIN)
REDUCE(umax, GASAN_WARP_UMAX)
REDUCE(and, GASAN_WARP_AND)
REDUCE(or, GASAN_WARP_OR)
REDUCE(xor, GASAN_WARP_XOR)
