/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Executes warp operations: the lanes of a mask meet, and the last one to arrive computes the results of all. Lanes
 * that have ended do not take part. */
#include "base/export.h"
#include <stdio.h>

#include "base/check.h"
#include "device/cpu/scheduler.h"
#include "device/cpu/trace.h"

enum { MEETINGS_BEFORE_LOOK = 64 };

#define FOR_EACH_LANE(lane, lanes)                                                                                     \
  for (uint32_t rest_ = (lanes), lane; rest_ && (lane = (uint32_t)__builtin_ctz(rest_), true); rest_ &= rest_ - 1)

/* PTX shfl.sync. c has the clamp (bits 0 to 4) and the segment mask (bits 8 to 12). A lane whose source is outside its
 * segment gets its own value and a false predicate. If the source lane does not take part, PTX leaves the value
 * undefined; here, the lane gets its own value. */
static void shuffle(struct gasan_cpu_warp *warp, uint32_t lanes) {
  FOR_EACH_LANE(lane, lanes) {
    uint32_t segment = warp->c[lane] >> 8 & 31, clamp = warp->c[lane] & 31, b = warp->b[lane] & 31;
    int32_t low = (int32_t)(lane & segment);
    int32_t limit = (int32_t)((lane & segment) | (clamp & ~segment & 31));
    int32_t source;
    bool inside;
    switch (warp->operation[lane]) {
    case GASAN_WARP_SHFL_UP:
      source = (int32_t)lane - (int32_t)b;
      inside = source >= limit;
      break;
    case GASAN_WARP_SHFL_DOWN:
      source = (int32_t)(lane + b);
      inside = source <= limit;
      break;
    case GASAN_WARP_SHFL_BFLY:
      source = (int32_t)(lane ^ b);
      inside = source <= limit;
      break;
    default:
      source = low | (int32_t)(b & ~segment & 31);
      inside = source <= limit;
      break;
    }
    if (!inside || !(lanes >> source & 1))
      warp->result[lane] = (uint32_t)warp->value[lane];
    else
      warp->result[lane] = (uint32_t)warp->value[source];
    warp->predicate[lane] = inside;
  }
}

static uint32_t vote(const struct gasan_cpu_warp *warp, uint32_t operation, uint32_t lanes) {
  uint32_t ballot = 0;
  FOR_EACH_LANE(lane, lanes)
  if (warp->value[lane])
    ballot |= 1u << lane;
  switch (operation) {
  case GASAN_WARP_ALL:
    return ballot == lanes;
  case GASAN_WARP_ANY:
    return ballot != 0;
  case GASAN_WARP_UNI:
    return ballot == 0 || ballot == lanes;
  default:
    return ballot;
  }
}

static uint32_t lanes_with_value(const struct gasan_cpu_warp *warp, uint32_t lanes, uint64_t value) {
  uint32_t equal = 0;
  FOR_EACH_LANE(lane, lanes)
  if (warp->value[lane] == value)
    equal |= 1u << lane;
  return equal;
}

static uint32_t combine(uint32_t operation, uint32_t a, uint32_t b) {
  switch (operation) {
  case GASAN_WARP_ADD:
    return a + b;
  case GASAN_WARP_MIN:
    return (int32_t)a < (int32_t)b ? a : b;
  case GASAN_WARP_MAX:
    return (int32_t)a > (int32_t)b ? a : b;
  case GASAN_WARP_UMIN:
    return a < b ? a : b;
  case GASAN_WARP_UMAX:
    return a > b ? a : b;
  case GASAN_WARP_AND:
    return a & b;
  case GASAN_WARP_OR:
    return a | b;
  default:
    return a ^ b;
  }
}

static uint32_t reduce(const struct gasan_cpu_warp *warp, uint32_t operation, uint32_t lanes) {
  uint32_t first = (uint32_t)__builtin_ctz(lanes);
  uint32_t result = (uint32_t)warp->value[first];
  FOR_EACH_LANE(lane, lanes & ~(1u << first))
  result = combine(operation, result, (uint32_t)warp->value[lane]);
  return result;
}

static void gather(const struct gasan_cpu_warp *warp, uint32_t lanes) {
  FOR_EACH_LANE(lane, lanes) {
    const void **table = (const void **)(uintptr_t)warp->value[lane];
    for (uint32_t other = 0; other < 32; other++)
      table[other] = lanes >> other & 1 ? (const void *)(uintptr_t)warp->value[other] : NULL;
  }
}

static void compute(struct gasan_cpu_warp *warp, uint32_t lanes) {
  uint32_t operation = warp->operation[__builtin_ctz(lanes)];
  uint32_t same; /* the result, equal for all lanes */
  switch (operation) {
  case GASAN_WARP_SYNC:
    return;
  case GASAN_WARP_GATHER:
    gather(warp, lanes);
    return;
  case GASAN_WARP_SHFL_IDX:
  case GASAN_WARP_SHFL_UP:
  case GASAN_WARP_SHFL_DOWN:
  case GASAN_WARP_SHFL_BFLY:
    shuffle(warp, lanes);
    return;
  case GASAN_WARP_MATCH_ANY:
    FOR_EACH_LANE(lane, lanes)
    warp->result[lane] = lanes_with_value(warp, lanes, warp->value[lane]);
    return;
  case GASAN_WARP_MATCH_ALL:
    same = lanes_with_value(warp, lanes, warp->value[__builtin_ctz(lanes)]) == lanes ? lanes : 0;
    FOR_EACH_LANE(lane, lanes)
    warp->predicate[lane] = same != 0;
    break;
  case GASAN_WARP_BALLOT:
  case GASAN_WARP_ALL:
  case GASAN_WARP_ANY:
  case GASAN_WARP_UNI:
  case GASAN_WARP_ELECT:
    same = vote(warp, operation, lanes);
    break;
  default:
    same = reduce(warp, operation, lanes);
    break;
  }
  FOR_EACH_LANE(lane, lanes)
  warp->result[lane] = same;
}

/* Returns true if all of `lanes` wait in this operation with this mask. */
static bool lanes_agree(const struct gasan_cpu_warp *warp, uint32_t lanes, uint32_t operation, uint32_t mask) {
  FOR_EACH_LANE(lane, lanes)
  if (warp->mask[lane] != mask || warp->operation[lane] != operation)
    return false;
  return true;
}

/* Returns a lane that waits in the same operation with another mask, if each of the two lanes is in the other's mask.
 * Neither lane can ever continue, because each waits for the other to arrive with its own mask. Returns `lane` if there
 * is none. */
static uint32_t find_contrary(const struct gasan_cpu_warp *warp, uint32_t lane, uint32_t waiting) {
  FOR_EACH_LANE(other, waiting)
  if (warp->operation[other] == warp->operation[lane] && warp->mask[other] != warp->mask[lane] &&
      (warp->mask[other] >> lane & 1))
    return other;
  return lane;
}

/* Notes that lanes of the warp have met. In a loop that polls memory, whose iterations may contain several such
 * operations, a meeting counts as a poll. */
static void note_meeting(struct gasan_cpu_worker *worker, struct gasan_cpu_warp *warp) {
  if (!warp->polled) {
    worker->polls = 0;
    return;
  }
  warp->polled--;
  if (++worker->meetings % MEETINGS_BEFORE_LOOK)
    return;
  gasan_cpu_note_polling(worker);
}

static void release(struct gasan_cpu_worker *worker, uint32_t index, uint32_t lanes) {
  worker->warps[index].waiting &= ~lanes;
  FOR_EACH_LANE(lane, lanes)
  gasan_cpu_ready(worker, index * 32 + lane);
}

GASAN_EXPORT GASAN_CPU_HIDE_FRAME uint32_t gasan_cpu_warp(uint32_t operation, uint32_t mask, uint64_t value, uint32_t b,
                                                          uint32_t c, uint32_t *predicate) {
  GASAN_CHECK(gasan_cpu_thread.fiber);
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  uint32_t self = gasan_cpu_thread.linear, lane = self % 32, own = 1u << lane;
  struct gasan_cpu_warp *warp = &worker->warps[self / 32];
  warp->operation[lane] = operation;
  warp->mask[lane] = mask;
  warp->value[lane] = value;
  warp->b[lane] = b;
  warp->c[lane] = c;
  if (gasan_cpu_thread.spin)
    warp->polled = GASAN_CPU_POLLING_LOOP;
  if (__builtin_expect(!(mask & own), 0))
    gasan_cpu_fail_mask(worker, self);
  uint32_t others = mask & warp->live & ~own;
  if ((warp->waiting & others) == others && lanes_agree(warp, others, operation, mask)) {
    note_meeting(worker, warp);
    compute(warp, others | own);
    release(worker, self / 32, others);
    gasan_cpu_thread.spin = 0;
  } else {
    uint32_t contrary = find_contrary(warp, lane, warp->waiting & others);
    if (__builtin_expect(contrary != lane, 0))
      gasan_cpu_fail_mask(worker, self - lane + contrary);
    warp->waiting |= own;
    gasan_cpu_stall(worker, self);
    gasan_cpu_wait(worker, self);
  }
  if (predicate)
    *predicate = warp->predicate[lane];
  return warp->result[lane];
}

void gasan_cpu_warp_leave(struct gasan_cpu_worker *worker, uint32_t thread) {
  struct gasan_cpu_warp *warp = &worker->warps[thread / 32];
  warp->live &= ~(1u << thread % 32);
  FOR_EACH_LANE(lane, warp->waiting) {
    uint32_t needed = warp->mask[lane] & warp->live;
    if ((warp->waiting >> lane & 1) && (warp->waiting & needed) == needed &&
        lanes_agree(warp, needed, warp->operation[lane], warp->mask[lane])) {
      compute(warp, needed);
      release(worker, thread / 32, needed);
    }
  }
  gasan_cpu_stall(worker, thread);
}

bool gasan_cpu_warp_describe(const struct gasan_cpu_worker *worker, uint32_t thread, char *text, size_t size) {
  const struct gasan_cpu_warp *warp = &worker->warps[thread / 32];
  if (!(warp->waiting >> thread % 32 & 1))
    return false;
  snprintf(text, size, "in a warp operation for the lanes 0x%08x", warp->mask[thread % 32] & warp->live);
  return true;
}

/* Answers the lanes that wait in activemask. Lanes that asked at the same place of the code form one group, because
 * they have converged there. */
void gasan_cpu_warp_answer(struct gasan_cpu_worker *worker, uint32_t index) {
  struct gasan_cpu_warp *warp = &worker->warps[index];
  uint32_t asking = warp->asking;
  warp->asking = 0;
  while (asking) {
    void *site = warp->site[__builtin_ctz(asking)];
    uint32_t group = 0;
    FOR_EACH_LANE(lane, asking)
    if (warp->site[lane] == site)
      group |= 1u << lane;
    FOR_EACH_LANE(lane, group) {
      warp->result[lane] = group;
      gasan_cpu_ready(worker, index * 32 + lane);
    }
    asking &= ~group;
  }
}

/* Returns the active mask. The lanes that a GPU would run together are known only when every other lane of the warp
 * waits or has ended. A kernel that is not marked as using activemask gets the smallest correct mask. */
GASAN_EXPORT __attribute__((noinline)) uint32_t gasan_cpu_activemask(void) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  uint32_t self = gasan_cpu_thread.linear, lane = self % 32;
  if (!gasan_cpu_thread.fiber || !worker->counts_running)
    return 1u << lane;
  struct gasan_cpu_warp *warp = &worker->warps[self / 32];
  warp->site[lane] = __builtin_return_address(0);
  warp->asking |= 1u << lane;
  gasan_cpu_stall(worker, self);
  gasan_cpu_wait(worker, self);
  return warp->result[lane];
}
