/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arguments of kernels that nobody instrumented (nvcc's objects, libraries): they take addresses. Instrumented ones get
 * the program's pointers as they are and translate them at each access. */
#ifndef GASAN_RT_TRANSLATE_ARGUMENTS_H
#define GASAN_RT_TRANSLATE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct gasan_translated_arguments {
  void **pointers;      /* NULL: nothing was copied */
  unsigned char *bytes; /* the parameters, at their offsets */
};

/* What to pass instead of `arguments`. The types are not known, so that each aligned word that points into a live chunk
 * (its end included) counts as one. pin: the launch is kept in a graph. */
void **gasan_translated_arguments(struct gasan_translated_arguments *copy, const void *function, void **arguments,
                                  bool pin);
void gasan_translated_arguments_free(struct gasan_translated_arguments *copy);

#endif
