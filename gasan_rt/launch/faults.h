/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When faults are collected: behind a wait for the device, before a module is unloaded, and by the watcher, a thread
 * that sees them even if the program never synchronises. Any thread. One lock of its own, held while the watcher
 * starts. */
#ifndef GASAN_RT_FAULTS_H
#define GASAN_RT_FAULTS_H

#include "gasan_rt/core/runtime.h"

/* All work of the device is complete, since a wait for the device has just ended with `error` (cudaError_t, or the
 * driver's): reports every recorded fault, and then the error if it has stopped a kernel. */
void gasan_faults_collect(struct gasan_rt_device *state, int error);

/* A module is unloaded. Its kernels may still run, and reports may name them later: faults are collected and the site
 * table is read while the image is there; names and table stay. At the end of the process nothing is left to wait for.
 */
struct gasan_module;
void gasan_faults_before_unload(const struct gasan_module *module);

/* Starts the watcher thread if it is not running. */
void gasan_faults_watch(void);

#endif
