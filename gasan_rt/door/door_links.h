/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Links of code that the program makes at run time, by cuLink or nvJitLink. With instrument=on, the PTX of a link
 * (texts, and containers of nvcc that have PTX) is kept until the link is completed. Then one object with checks is
 * made of it, because each object with checks has its site table under the same name. Any thread. One lock
 * (`links_lock`), under which nothing is called. */
#ifndef GASAN_RT_DOOR_LINKS_H
#define GASAN_RT_DOOR_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "gasan_rt/instrument/lift_tool.h"

/* One input of a link. */
struct gasan_link_input {
  int type;         /* in the program's call */
  const void *data; /* with a NUL behind its end */
  size_t size;
  const char *name;
  void *options; /* for the driver */
};

/* Keeps a copy of an input until the link is completed. `linker`: the handle. Returns false, with a reason, if the
 * program's call must be made: the input has no PTX, or there is no memory. If it returns true, the link owns the
 * options. */
bool gasan_link_keep(void *linker, const struct gasan_link_input *input, char why[GASAN_WHY]);

struct gasan_link; /* the inputs that were kept */
/* Takes the inputs out of the link. NULL: there are none. */
struct gasan_link *gasan_link_take(void *linker);
/* Makes an object with checks of all inputs. Sets *size; the caller frees the object. NULL: there is none, and a line
 * has said why with verbosity=1. `api`: the function's name for the line. */
void *gasan_link_object(struct gasan_link *link, const char *api, size_t *size);
/* Returns the input with this number, from 0 on; NULL: there are no more. */
const struct gasan_link_input *gasan_link_input(const struct gasan_link *link, size_t index);
/* Frees what gasan_link_take has returned, with the options. */
void gasan_link_free(struct gasan_link *link);

#endif
