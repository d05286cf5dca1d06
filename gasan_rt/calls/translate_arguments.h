/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Translates the arguments of kernels without checks (nvcc's objects, libraries), which take addresses. Kernels with
 * checks get the program's pointers and translate them at each access. Any thread. */
#ifndef GASAN_RT_TRANSLATE_ARGUMENTS_H
#define GASAN_RT_TRANSLATE_ARGUMENTS_H

#include "gasan_rt/calls/translated_call.h"

/* Makes *arguments point to translated copies of a launch's parameters. Their types are not known, so each aligned word
 * that points into a live chunk, or to its end, counts as a pointer. Leaves *arguments alone if the kernel has checks,
 * if CUDA does not list its parameters, or if memory is short. Returns true. */
bool gasan_translate_arguments(struct gasan_translated_call *call, const void *function, void ***arguments);

#endif
