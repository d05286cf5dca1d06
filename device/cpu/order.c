/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cpu/order.h"

#include "device/cpu/cpu.h"

static bool is_random;
static uint64_t seed;

void gasan_cpu_set_random_order(uint64_t wanted) {
  is_random = true;
  seed = wanted;
}

bool gasan_cpu_order_is_random(void) {
  return is_random;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
  uint64_t value = *state += 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

static uint32_t choose_below(uint64_t *state, uint32_t count) {
  return (uint32_t)((next_random(state) >> 32) * count >> 32);
}

/* Returns a state for the choices about one thing: a window of blocks, or a block. */
static uint64_t start_choices(uint64_t thing) {
  uint64_t state = seed, start = next_random(&state) ^ thing;
  return next_random(&start);
}

static void shuffle(uint64_t *state, uint16_t *order, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t other = choose_below(state, i + 1);
    order[i] = order[other];
    order[other] = (uint16_t)i;
  }
}

uint64_t gasan_cpu_order_block(const struct gasan_cpu_launch *launch, uint64_t place) {
  uint16_t order[GASAN_CPU_ORDER_WINDOW];
  uint64_t first = place - place % GASAN_CPU_ORDER_WINDOW, left = launch->blocks - first;
  uint64_t state = start_choices(first);
  shuffle(&state, order, left < GASAN_CPU_ORDER_WINDOW ? (uint32_t)left : GASAN_CPU_ORDER_WINDOW);
  return first + order[place - first];
}

void gasan_cpu_order_begin(struct gasan_cpu_worker *worker) {
  worker->choices = start_choices(~worker->block);
  shuffle(&worker->choices, worker->order, worker->count);
}

uint32_t gasan_cpu_order_choose(struct gasan_cpu_worker *worker, uint32_t count) {
  return choose_below(&worker->choices, count);
}
