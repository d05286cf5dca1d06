/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The containers that nvcc has embedded in a program or a library. A program that loads one of them mostly loads the
 * others, too. A container that nvcc has linked (-rdc=true) has no PTX, but the containers of its objects are in the
 * program, and may have PTX. Any thread. One lock (`objects_lock`), under which nothing is called. */
#ifndef GASAN_RT_EMBEDDED_CODE_H
#define GASAN_RT_EMBEDDED_CODE_H

#include <stddef.h>

#include "gasan_rt/instrument/code_image.h"

/* Called with code that the program loads. If the code lies in a program or a library, starts the work for all other
 * code there; at the first call for each. */
void gasan_embedded_code_expect(const void *image, int architecture);

/* Finds the containers of the objects from which nvcc has linked the code, those that have PTX for the architecture.
 * The caller frees the result. Sets *count. NULL: the code is not linked, or no object has PTX. */
struct gasan_code_image *gasan_embedded_code_objects(const void *image, int architecture, size_t *count);

#endif
