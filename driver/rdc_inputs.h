/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which objects of a link carry a -fgpu-rdc container. */
#ifndef GASAN_DRIVER_RDC_INPUTS_H
#define GASAN_DRIVER_RDC_INPUTS_H

#include "driver/agreement.h"
#include "driver/file.h"
#include "driver/link.h"

struct gasan_rdc_input {
  const char *path;   /* of the object, or of the archive that it is a member of */
  const char *member; /* NULL: not in an archive */
  struct gasan_bytes object, section;
};

struct gasan_rdc_inputs {
  struct gasan_rdc_input *items;
  size_t count;
  struct gasan_agreement agreement; /* of the whole link's objects, those without a container too */
  bool archives;                    /* some are members: whether they are linked is the linker's decision */
};

/* Those named on the command line, and those in static libraries that -l finds in a folder of -L or LIBRARY_PATH. */
struct gasan_rdc_inputs gasan_rdc_inputs_find(const struct gasan_arguments *arguments,
                                              const struct gasan_link_objects *objects);

/* Leaves out the archive members that a link does not take. `trace` is what ld.lld -t prints. */
struct gasan_rdc_inputs gasan_rdc_inputs_select(const struct gasan_rdc_inputs *inputs, const char *trace);

/* Those of `inputs` that are not in `selected`. */
struct gasan_rdc_inputs gasan_rdc_inputs_others(const struct gasan_rdc_inputs *inputs,
                                                const struct gasan_rdc_inputs *selected);

#endif
