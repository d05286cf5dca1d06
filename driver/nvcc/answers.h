/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What build systems ask nvcc: its version, its architectures, and where its toolkit is. */
#ifndef GASAN_DRIVER_NVCC_ANSWERS_H
#define GASAN_DRIVER_NVCC_ANSWERS_H

#include "driver/paths.h"

void gasan_nvcc_print_version(const char *cuda_folder);
void gasan_nvcc_print_help(void);
/* `kind`: compute or sm. */
void gasan_nvcc_print_architectures(const char *kind);

/* Prints the lines that nvcc -v begins with, and from which CMake learns the toolkit's folders, the architecture
 * (list, or NULL), and the program that links (gasan-clang++, in the folder of gasan-nvcc). */
void gasan_nvcc_print_settings(const struct gasan_paths *paths, const char *cuda_folder, const char *gpu_list);

struct gasan_nvcc_version {
  int major, minor;
};

/* Returns the toolkit's version, by its cuda.h. */
struct gasan_nvcc_version gasan_nvcc_toolkit_version(const char *cuda_folder);

#endif
