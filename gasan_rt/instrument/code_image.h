/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The forms of code that programs pass to the driver: PTX, a container of nvcc (a fat binary), a cubin, or LTO-IR. Any
 * thread; no lock. */
#ifndef GASAN_RT_CODE_IMAGE_H
#define GASAN_RT_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gasan_code_form { GASAN_CODE_UNKNOWN, GASAN_CODE_PTX, GASAN_CODE_CONTAINER, GASAN_CODE_CUBIN, GASAN_CODE_LTO };

/* Why LTO-IR has no checks. */
#define GASAN_CODE_LTO_REASON                                                                                          \
  "it is LTO-IR, which only NVIDIA's tools read; build without -dlto, with code=sm_90 or compute_90 for lto_90"

/* nvcc's own structure around a container. */
struct gasan_code_wrapper {
  uint32_t magic, version;
  const void *data;
  const void *const *objects; /* version 2: containers of the objects of a link, up to a null pointer */
};
#define GASAN_CODE_WRAPPER_MAGIC 0x466243B1u
enum { GASAN_CODE_WRAPPER_OF_ONE = 1, GASAN_CODE_WRAPPER_OF_LINK = 2 }; /* version */

struct gasan_code_image {
  enum gasan_code_form form;
  const void *data;
  size_t size; /* bytes; of PTX without its NUL */
};

/* Finds the form and the size of code in memory, as cuModuleLoadData gets it. A container may come in the wrapper that
 * nvcc puts around it. The bytes are the program's. */
struct gasan_code_image gasan_code_image_at(const void *image);
/* The same for code of a known size, which must have a NUL behind its end. Code that is cut off has no known form. */
struct gasan_code_image gasan_code_image_in(const void *image, size_t size);

/* Returns true if a container has PTX that a GPU of this architecture (90 is sm_90) may run. Reads the headers only. */
bool gasan_code_image_has_ptx(const struct gasan_code_image *image, int architecture);
/* Returns true if a container has LTO-IR. */
bool gasan_code_image_has_lto(const struct gasan_code_image *image);

#endif
