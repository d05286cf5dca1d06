/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views: texture and surface objects. An object's number is the address of its view. A view's memory is never freed, so
 * that a kernel that uses the number of a destroyed object finds that the view is invalid. Any thread; one lock
 * inside. */
#ifndef GASAN_DEVICE_CPU_VIEW_H
#define GASAN_DEVICE_CPU_VIEW_H

#include <cuda_runtime_api.h>

#include "device/cpu/array.h"

enum gasan_cpu_view_kind {
  GASAN_VIEW_NONE,
  GASAN_VIEW_TEXTURE = 0x54455854, /* values that other memory is unlikely to have */
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

/* Returns a new view, all zero. NULL: no memory. */
struct gasan_cpu_view *gasan_cpu_view_create(void);
/* Makes the view's number invalid. A later view may have the same number. */
void gasan_cpu_view_destroy(struct gasan_cpu_view *view);
/* Returns the view with this number, for host calls. The number may be any number. NULL: there is no such view of this
 * kind. */
struct gasan_cpu_view *gasan_cpu_view_of(uint64_t object, enum gasan_cpu_view_kind kind);

/* Returns the view with this number, for device code. Ends the launch if there is no such view of this kind. */
const struct gasan_cpu_view *gasan_cpu_view_find(uint64_t object, enum gasan_cpu_view_kind kind);
/* Ends the launch with cudaErrorLaunchFailure, and prints `what` with kernel, block and thread. */
_Noreturn void gasan_cpu_view_fail(const char *what);

#endif
