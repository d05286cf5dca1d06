/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers the questions of build systems to nvcc: its version, its architectures, and its toolkit's place. */
#ifndef GASAN_DRIVER_NVCC_ANSWERS_H
#define GASAN_DRIVER_NVCC_ANSWERS_H

#include "driver/paths.h"

void gasan_nvcc_print_version(const char *cuda_folder);
void gasan_nvcc_print_help(void);
/* Prints the architectures that clang and the toolkit know. `kind`: compute or sm. */
void gasan_nvcc_print_architectures(const char *cuda_folder, const char *kind);

/* Prints the first lines of nvcc -v. From them, CMake learns the toolkit's folders, the architecture (a list, or NULL),
 * and the program that links (gasan-clang++, in the folder of gasan-nvcc). */
void gasan_nvcc_print_settings(const struct gasan_paths *paths, const char *cuda_folder, const char *gpu_list);

#endif
