/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collects recorded faults: after each wait for the device, before a module is unloaded, and in the watcher, a thread
 * that finds faults of programs that never synchronise. Any thread. One lock (`watcher_lock`), held while the watcher
 * starts. */
#ifndef GASAN_RT_FAULTS_H
#define GASAN_RT_FAULTS_H

#include "gasan_rt/core/runtime.h"

/* Must be called after a wait for the device, when all its work is complete. `error` (cudaError_t or the driver's) is
 * the result of the wait. Reports every recorded fault, and then `error`, if it is one that has stopped a kernel. */
void gasan_faults_collect(struct gasan_rt_device *state, int error);

/* Reports new faults while kernels may run. Costs two loads if there are none. */
void gasan_faults_peek(struct gasan_rt_device *state);

/* Must be called after a launch, outside of its locks. In a fuzzer's program on the CPU device, where the launch's work
 * is complete, collects the faults, so that a report belongs to the input that caused it. */
void gasan_faults_after_launch(struct gasan_rt_device *state);

/* Must be called before a module is unloaded. Its kernels may still run, and later reports may name them. So this
 * function collects faults and reads the site table while the image is loaded; the table and the names are kept. Does
 * not wait for kernels at the end of the process. */
struct gasan_module;
void gasan_faults_before_unload(const struct gasan_module *module);

/* Starts the watcher thread if it is not running. Does nothing where gasan_faults_after_launch collects. */
void gasan_faults_watch(void);

#endif
