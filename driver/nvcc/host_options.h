/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Options that projects give to nvcc's host compiler. clang compiles the host's code here. */
#ifndef GASAN_DRIVER_NVCC_HOST_OPTIONS_H
#define GASAN_DRIVER_NVCC_HOST_OPTIONS_H

#include <stdbool.h>

/* Returns true for options that ask the host compiler something, such as -dumpversion. */
bool gasan_nvcc_is_question(const char *option);
/* Returns true for options that are GCC's own, or that make warnings errors. */
bool gasan_nvcc_host_option_is_for_others(const char *option);

#endif
