/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The forms of code that programs pass to the driver: PTX, a container of nvcc (a fat binary), or a cubin. Any thread;
 * no lock. */
#ifndef GASAN_RT_CODE_IMAGE_H
#define GASAN_RT_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

enum gasan_code_form { GASAN_CODE_UNKNOWN, GASAN_CODE_PTX, GASAN_CODE_CONTAINER, GASAN_CODE_CUBIN };

struct gasan_code_image {
  enum gasan_code_form form;
  const void *data;
  size_t size; /* bytes; of PTX without its NUL */
};

/* Finds the form and the size of code in memory, as cuModuleLoadData gets it. A container may come in the wrapper that
 * nvcc puts around it. The bytes are the program's. */
struct gasan_code_image gasan_code_image_at(const void *image);

/* Returns true if a container has PTX that a GPU of this architecture (90 is sm_90) may run. Reads the headers only. */
bool gasan_code_image_has_ptx(const struct gasan_code_image *image, int architecture);

#endif
