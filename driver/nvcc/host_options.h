/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Classifies options that projects pass to nvcc's host compiler. Here, clang compiles the host's code. */
#ifndef GASAN_DRIVER_NVCC_HOST_OPTIONS_H
#define GASAN_DRIVER_NVCC_HOST_OPTIONS_H

#include <stdbool.h>

/* Returns true for options that query the host compiler, such as -dumpversion. */
bool gasan_nvcc_is_question(const char *option);
/* Returns true for options that are GCC's own, or that make warnings errors. */
bool gasan_nvcc_host_option_is_for_others(const char *option);

#endif
