/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes the container of a -fgpu-rdc object. It replaces the GPU binary, and holds the device bitcode for
 * each architecture. Section __nv_relfatbin has one container, or several in a row after `ld -r`. */
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
  const char *optimisation; /* level of the compilation: "-O2" */
  const char *granule;      /* of its checks: "128" */
  const char *mode;         /* of its checks: "shadow" */
  const char *tags;         /* "on": pointers have tags; "off" */
  bool keep_debug;
  struct gasan_rdc_module *modules;
  size_t count;
};

void gasan_rdc_container_add(struct gasan_rdc_container *container, const char *architecture,
                             struct gasan_bytes bitcode);
void gasan_rdc_container_write(const struct gasan_rdc_container *container, const char *path);

/* Reads the next container of a section, from `*offset` on. Returns false if there is none. The result points into the
 * section. Ends the process with a message if a container is damaged. */
bool gasan_rdc_container_read(struct gasan_bytes section, size_t *offset, struct gasan_rdc_container *container);

#endif
