/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texture and surface accesses of device code: PTX's tex, tld4, suld and sust. The helpers that are linked into every
 * CPU image call them. An object that does not exist, or no longer exists, ends the launch with an error. */
#ifndef GASAN_DEVICE_CPU_TEXTURE_H
#define GASAN_DEVICE_CPU_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum gasan_cpu_texture_level {
  GASAN_TEXTURE_LEVEL_BASE,
  GASAN_TEXTURE_LEVEL_GIVEN,
  GASAN_TEXTURE_LEVEL_OF_GRADIENT,
};

struct gasan_cpu_fetch {
  uint8_t dimensions; /* 1 to 3 */
  bool cube;          /* the three coordinates are a direction */
  bool layered;
  bool texel;  /* `number` is a texel's number in linear memory; there are no coordinates */
  bool gather; /* reads one component of the four texels that linear filtering would use */
  uint8_t component;
  uint8_t level_kind; /* enum gasan_cpu_texture_level */
  int32_t layer, number;
  float coordinates[3], level, gradients[2][3];
};

enum gasan_cpu_surface_bounds { GASAN_SURFACE_TRAP, GASAN_SURFACE_CLAMP, GASAN_SURFACE_ZERO };

struct gasan_cpu_surface_access {
  int32_t x, y, z; /* x in bytes; z: slice or layer */
  uint32_t size;   /* bytes */
  uint32_t bounds; /* enum gasan_cpu_surface_bounds */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Reads four components as 32-bit values, whose type follows from the texture's format and read mode. */
void gasan_cpu_texture_fetch(uint64_t object, const struct gasan_cpu_fetch *fetch, uint32_t *result);
/* Read and write access->size bytes. */
void gasan_cpu_surface_read(uint64_t object, const struct gasan_cpu_surface_access *access, void *to);
void gasan_cpu_surface_write(uint64_t object, const struct gasan_cpu_surface_access *access, const void *from);

#ifdef __cplusplus
}
#endif
#endif
