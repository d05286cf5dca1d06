/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the objects of a link that have a -fgpu-rdc container. */
#ifndef GASAN_DRIVER_RDC_INPUTS_H
#define GASAN_DRIVER_RDC_INPUTS_H

#include "driver/agreement.h"
#include "driver/file.h"
#include "driver/link.h"

struct gasan_rdc_input {
  const char *path;   /* of the object, or of its archive */
  const char *member; /* NULL: not in an archive */
  struct gasan_bytes object, section;
};

struct gasan_rdc_inputs {
  struct gasan_rdc_input *items;
  size_t count;
  struct gasan_agreement agreement; /* of all objects of the link, with or without a container */
  const char *archive_cuda;         /* gasan_agreement_cuda of the first archive member that has it; NULL: none */
  struct gasan_strings linked;      /* registrations (driver/rdc_stub.h) that objects of a device link define */
  const char *foreign;              /* an object with relocatable device code that gasan has not made; NULL: none */
  bool archives;                    /* some are members of archives: the linker decides whether they are linked */
};

/* Finds the objects on the command line, and those in static libraries that -l finds in a folder of -L or
 * LIBRARY_PATH. */
struct gasan_rdc_inputs gasan_rdc_inputs_find(const struct gasan_arguments *arguments,
                                              const struct gasan_link_objects *objects);

/* Returns true if a file on the command line was compiled with checks: an object, a member of an archive, or a shared
 * library. */
bool gasan_rdc_inputs_have_checks(const struct gasan_arguments *arguments);

/* Returns the inputs without the objects whose device code is already in an object of a device link. */
struct gasan_rdc_inputs gasan_rdc_inputs_not_linked(const struct gasan_rdc_inputs *inputs);

/* Returns the inputs without the archive members that the link does not use. `trace` is the output of ld.lld -t. */
struct gasan_rdc_inputs gasan_rdc_inputs_select(const struct gasan_rdc_inputs *inputs, const char *trace);

/* Returns the inputs that are not in `selected`. */
struct gasan_rdc_inputs gasan_rdc_inputs_others(const struct gasan_rdc_inputs *inputs,
                                                const struct gasan_rdc_inputs *selected);

#endif
