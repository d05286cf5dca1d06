/* Arguments of kernels that nobody instrumented (nvcc's objects, libraries): they take addresses. Instrumented ones get the
 * program's handles as they are and translate them at each access. */
#ifndef GASAN_RT_HANDLE_ARGUMENTS_H
#define GASAN_RT_HANDLE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct gasan_handle_arguments {
  void **pointers;      /* NULL: nothing was copied */
  unsigned char *bytes; /* the parameters, at their offsets */
};

/* What to pass instead of `arguments`. The types are not known, so that each aligned word that equals a live handle (its end
 * included) counts as one. pin: the launch is kept in a graph. */
void **gasan_handle_arguments(struct gasan_handle_arguments *copy, const void *function, void **arguments, bool pin);
void gasan_handle_arguments_free(struct gasan_handle_arguments *copy);

#endif
