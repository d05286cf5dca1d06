/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The random order of GASAN_OPTIONS=schedule=random:SEED: which block, and which thread of a block, runs next.
 *
 * The order depends on the seed, the block and the launch's shape only. So a launch runs in the same order in each
 * process, whatever ran before it. CUDA allows each such order.
 *
 * Threads: the seed is set before the first launch; a worker's state belongs to its OS thread. No locks. */
#ifndef GASAN_DEVICE_CPU_ORDER_H
#define GASAN_DEVICE_CPU_ORDER_H

#include "device/cpu/worker.h"

/* Blocks change places with at most this many neighbours. As many may wait for each other, each with an OS thread of
 * its own (engine.c), so programs whose blocks wait for earlier blocks still end. */
#define GASAN_CPU_ORDER_WINDOW 64u

/* Returns true if the order is random. */
bool gasan_cpu_order_is_random(void);

/* Returns the block that runs as the `place`th of the launch. A permutation of the launch's blocks. */
uint64_t gasan_cpu_order_block(const struct gasan_cpu_launch *launch, uint64_t place);

/* Chooses the order in which the threads of a block begin, and starts the choices of the functions below. */
void gasan_cpu_order_begin(struct gasan_cpu_worker *worker);

/* Returns a number below `count`, which must be at least 1. */
uint32_t gasan_cpu_order_choose(struct gasan_cpu_worker *worker, uint32_t count);

#endif
