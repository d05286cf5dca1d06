/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares canaries by a kernel of gasan's own, and reports damage with the launches that may have done it.
 *
 * canary=launch: the kernel runs in the program's stream, behind the program's kernel.
 * canary=guard: also, while a kernel runs for more than two milliseconds, one block of it, the guard, compares all the
 * time beside it (GMOD, 4). A wait for the whole device would wait for the guard, too, so it is stopped for a wait.
 *
 * A check takes a few microseconds of the GPU. So that a program of many short kernels is not slowed down, checks have
 * a budget: a burst of them at first, then one each CHECK_US. A launch without a check is covered by the next one.
 *
 * Any thread. Checks are launched under the gate of the launch log. Locks: docs/internals/locks.md. */
#ifndef GASAN_RT_CANARY_WATCH_H
#define GASAN_RT_CANARY_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct gasan_canary_damage;
struct gasan_rt_device;

/* Must be called before each launch, under the gate: loads the kernels at the first one. After a launch, that might
 * wait for the program's kernel. */
void gasan_canary_watch_launches(struct gasan_rt_device *state);

/* Must be called after each launch of a kernel or a graph that did not fail and was not captured, under the gate.
 * `stream` is the stream that the launch's stream stands for. */
void gasan_canary_watch_launched(struct gasan_rt_device *state, void *stream, bool graph);

/* Must be called before a wait for the stream: checks the launches that no check covers yet. Returns the value for
 * waited, which must be called after the wait, unless it failed. */
uint64_t gasan_canary_watch_waits(struct gasan_rt_device *state, void *stream);
void gasan_canary_watch_waited(struct gasan_rt_device *state, void *stream, uint64_t launch);
/* The same for a wait for the whole device; the check comes after it. */
uint64_t gasan_canary_watch_device_waits(struct gasan_rt_device *state);
void gasan_canary_watch_device_waited(struct gasan_rt_device *state, uint64_t launch);

/* Must be called before a stream is destroyed. */
void gasan_canary_watch_forget_stream(void *stream);

/* Around each wait for the whole device. wait_begins returns the value for wait_ended. Hooks of core (core/hooks.h). */
bool gasan_canary_watch_wait_begins(struct gasan_rt_device *state);
void gasan_canary_watch_wait_ended(struct gasan_rt_device *state, bool begun);

/* Refills the budget. Keeps a guard in flight while kernels run, and only then. The watcher calls it once a
 * millisecond. */
void gasan_canary_watch_keep(struct gasan_rt_device *state);
/* Must be called before the process ends: keep does nothing from now on. */
void gasan_canary_watch_end(void);

/* Reports the damage that a check has found. One load if there is none. */
void gasan_canary_watch_peek(struct gasan_rt_device *state);

/* Reports damage that the host has found. No kernel uses the chunk. A hook of core (core/hooks.h). */
void gasan_canary_watch_damaged(struct gasan_rt_device *state, const struct gasan_canary_damage *damage);

#endif
