/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a texture or surface object stands for. The object's number is the address of its view; views are never given
 * back, so that a kernel with an old number finds out. */
#ifndef GASAN_DEVICE_CPU_VIEW_H
#define GASAN_DEVICE_CPU_VIEW_H

#include <cuda_runtime_api.h>

#include "device/cpu/array.h"

enum gasan_cpu_view_kind {
  GASAN_VIEW_NONE,
  GASAN_VIEW_TEXTURE = 0x54455854, /* unlikely in memory that is no view */
  GASAN_VIEW_SURFACE = 0x53555246,
};

struct gasan_cpu_view {
  uint32_t kind; /* enum gasan_cpu_view_kind */
  uint32_t level_count;
  struct gasan_cpu_texel_format format;
  struct gasan_cpu_texels levels[GASAN_CPU_ARRAY_LEVELS];
  struct cudaResourceDesc resource;
  struct cudaTextureDesc texture;
  struct cudaResourceViewDesc part; /* all zero: the whole resource */
  struct gasan_cpu_view *next;      /* the next free one */
};

/* A free view, all zero; NULL: no memory. Any thread. */
struct gasan_cpu_view *gasan_cpu_view_create(void);
/* Takes it back: its number stands for nothing. */
void gasan_cpu_view_destroy(struct gasan_cpu_view *view);
/* The view that the number names, or NULL. For the host: any number will do. */
struct gasan_cpu_view *gasan_cpu_view_of(uint64_t object, enum gasan_cpu_view_kind kind);

/* The same for device code: ends the launch if there is none. */
const struct gasan_cpu_view *gasan_cpu_view_find(uint64_t object, enum gasan_cpu_view_kind kind);
/* Ends the launch with cudaErrorLaunchFailure and a line that says what happened where. */
_Noreturn void gasan_cpu_view_fail(const char *what);

#endif
