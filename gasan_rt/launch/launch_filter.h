/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the launches whose errors are reported: GASAN_OPTIONS=kernels, launch_skip and launch_count. Any thread; no
 * lock. */
#ifndef GASAN_RT_LAUNCH_FILTER_H
#define GASAN_RT_LAUNCH_FILTER_H

#include "gasan_rt/launch/registry.h"

/* Counts a launch, if its kernel is wanted. Returns true if its errors must not be reported. kernel NULL: a kernel that
 * no module has registered, with this device symbol (NULL: not known). Ends the process if the options are wrong. */
bool gasan_launch_filter_leaves_out(const struct gasan_kernel *kernel, const char *name);

/* Returns true if errors of the kernel in a graph must not be reported; counts nothing. */
bool gasan_launch_filter_leaves_kernel_out(const struct gasan_kernel *kernel);

#endif
