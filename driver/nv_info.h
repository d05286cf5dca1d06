/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the registers of kernels from section .nv.info of a binary that ptxas or nvlink has made. */
#ifndef GASAN_DRIVER_NV_INFO_H
#define GASAN_DRIVER_NV_INFO_H

#include "driver/file.h"

#include <stdbool.h>

struct gasan_nv_info {
  struct gasan_bytes binary, section;
  size_t at;
};

/* Opens the file. Returns false if it cannot be read, or has no such section. The memory is never freed. */
bool gasan_nv_info_open(const char *path, struct gasan_nv_info *info);
/* Returns the name of the next kernel or function, and sets *registers. Returns NULL after the last one. */
const char *gasan_nv_info_next(struct gasan_nv_info *info, unsigned *registers);

/* Prints to standard error the registers of each kernel and of its variants, and how many blocks of 256 threads they
 * allow on a multiprocessor. `architecture` ("sm_90") names the binary. */
void gasan_nv_info_print(const char *path, const char *architecture);

#endif
