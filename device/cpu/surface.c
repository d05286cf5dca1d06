/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes surfaces: bytes of an array, without a format. */
#include <string.h>

#include "base/export.h"
#include "device/cpu/texture.h"
#include "device/cpu/view.h"

static uint32_t clamp_to(int32_t value, uint32_t count) {
  return value < 0 ? 0 : (uint32_t)value < count ? (uint32_t)value : count - 1;
}

/* Returns the accessed bytes. NULL: the access is out of range, and the program wants no trap. */
static char *surface_place(uint64_t object, const struct gasan_cpu_surface_access *access) {
  const struct gasan_cpu_view *view = gasan_cpu_view_find(object, GASAN_VIEW_SURFACE);
  const struct gasan_cpu_texels *texels = &view->levels[0];
  const uint32_t row = texels->width * gasan_cpu_texel_size(&view->format);
  const uint32_t places = row >= access->size ? row - access->size + 1 : 0; /* number of valid x */
  uint32_t x = (uint32_t)access->x, y = (uint32_t)access->y, z = (uint32_t)access->z;
  if (places && access->bounds == GASAN_SURFACE_CLAMP) {
    x = clamp_to(access->x, places);
    y = clamp_to(access->y, texels->height);
    z = clamp_to(access->z, texels->depth);
  }
  if (x < places && y < texels->height && z < texels->depth)
    return gasan_cpu_texel_at(texels, 1, x, y, z);
  if (access->bounds == GASAN_SURFACE_TRAP)
    gasan_cpu_view_fail("surface access out of range");
  return NULL;
}

GASAN_EXPORT void gasan_cpu_surface_read(uint64_t object, const struct gasan_cpu_surface_access *access, void *to) {
  const char *place = surface_place(object, access);
  if (place)
    memcpy(to, place, access->size);
  else
    memset(to, 0, access->size);
}

GASAN_EXPORT void gasan_cpu_surface_write(uint64_t object, const struct gasan_cpu_surface_access *access,
                                          const void *from) {
  char *place = surface_place(object, access);
  if (place)
    memcpy(place, from, access->size);
}
