/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collects recorded faults: after each wait for the device, before a module is unloaded, and in the watcher, a thread
 * that finds faults of programs that never synchronise. Any thread. One lock, held while the watcher starts. */
#ifndef GASAN_RT_FAULTS_H
#define GASAN_RT_FAULTS_H

#include "gasan_rt/core/runtime.h"

/* Call after a wait for the device, when all its work is complete. `error` (cudaError_t or the driver's) is the result
 * of the wait. Reports every recorded fault, then the error if it has stopped a kernel. */
void gasan_faults_collect(struct gasan_rt_device *state, int error);

/* Call before a module is unloaded. Its kernels may still run, and later reports may name them. So faults are collected
 * and the site table is read while the image is there; table and names stay. At the end of the process it does not
 * wait. */
struct gasan_module;
void gasan_faults_before_unload(const struct gasan_module *module);

/* Starts the watcher thread if it is not running. */
void gasan_faults_watch(void);

#endif
