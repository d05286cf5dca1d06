/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a -fgpu-rdc object carries in place of a GPU binary: its device bitcode for each architecture. Section
 * __nv_relfatbin holds one container, or several in a row after `ld -r`. */
#ifndef GASAN_DRIVER_RDC_CONTAINER_H
#define GASAN_DRIVER_RDC_CONTAINER_H

#include "driver/file.h"
#include "driver/strings.h"

#define GASAN_RDC_SECTION "__nv_relfatbin"

struct gasan_rdc_module {
  const char *architecture; /* "sm_90a" */
  struct gasan_bytes bitcode;
};

struct gasan_rdc_container {
  const char *optimisation; /* that it was compiled with: "-O2" */
  const char *granule;      /* that its checks are to have: "128" */
  const char *mode;         /* what they are: "shadow" */
  const char *tags;         /* do pointers have tags: "off" */
  bool keep_debug;
  struct gasan_rdc_module *modules;
  size_t count;
};

void gasan_rdc_container_add(struct gasan_rdc_container *container, const char *architecture,
                             struct gasan_bytes bitcode);
void gasan_rdc_container_write(const struct gasan_rdc_container *container, const char *path);

/* Reads the next container of a section, from `*offset` on. False: there is no further one. The result points into the
 * section. Ends the process if a container is damaged. */
bool gasan_rdc_container_read(struct gasan_bytes section, size_t *offset, struct gasan_rdc_container *container);

#endif
