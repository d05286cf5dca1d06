/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements textures and surfaces. PTX's instruction names the shape. The coordinates are a vector of up to four
 * registers; for layered shapes, the first one is the layer. */
#include "device/cpu/texture.h"
#include "device/cpu/helpers/helper.h"

static inline HELPER float coordinate(uint32_t bits) {
  return gasan_float_of_bits(bits);
}

static inline HELPER struct gasan_cpu_fetch fetch_of(uint32_t dimensions, bool cube, bool layered, uint32_t a,
                                                     uint32_t b, uint32_t c, uint32_t d) {
  struct gasan_cpu_fetch fetch = {.dimensions = (uint8_t)dimensions, .cube = cube, .layered = layered};
  uint32_t given[4] = {a, b, c, d};
  fetch.layer = (int32_t)a;
  for (uint32_t i = 0; i < dimensions; i++)
    fetch.coordinates[i] = coordinate(given[i + layered]);
  return fetch;
}

#define COORDINATES uint32_t a, uint32_t b, uint32_t c, uint32_t d

#define TEXTURE(shape, dimensions, cube, layered)                                                                      \
  HELPER void NVVM(tex_##shape##_f32)(uint64_t object, COORDINATES, uint32_t *result) {                                \
    struct gasan_cpu_fetch fetch = fetch_of(dimensions, cube, layered, a, b, c, d);                                    \
    gasan_cpu_texture_fetch(object, &fetch, result);                                                                   \
  }                                                                                                                    \
  HELPER void NVVM(tex_level_##shape##_f32)(uint64_t object, COORDINATES, float level, uint32_t *result) {             \
    struct gasan_cpu_fetch fetch = fetch_of(dimensions, cube, layered, a, b, c, d);                                    \
    fetch.level_kind = GASAN_TEXTURE_LEVEL_GIVEN;                                                                      \
    fetch.level = level;                                                                                               \
    gasan_cpu_texture_fetch(object, &fetch, result);                                                                   \
  }
TEXTURE(1d, 1, false, false)
TEXTURE(2d, 2, false, false)
TEXTURE(3d, 3, false, false)
TEXTURE(a1d, 1, false, true)
TEXTURE(a2d, 2, false, true)
TEXTURE(cube, 3, true, false)
TEXTURE(acube, 3, true, true)

/* x, y, z: the gradient of a step to the right; u, v, w: of a step down */
#define TEXTURE_GRADIENT(shape, dimensions, layered)                                                                   \
  HELPER void NVVM(tex_grad_##shape##_f32)(uint64_t object, COORDINATES, uint32_t x, uint32_t y, uint32_t z,           \
                                           uint32_t unused, uint32_t u, uint32_t v, uint32_t w, uint32_t unused_too,   \
                                           uint32_t *result) {                                                         \
    struct gasan_cpu_fetch fetch = fetch_of(dimensions, false, layered, a, b, c, d);                                   \
    (void)unused, (void)unused_too;                                                                                    \
    fetch.level_kind = GASAN_TEXTURE_LEVEL_OF_GRADIENT;                                                                \
    uint32_t right[] = {x, y, z}, down[] = {u, v, w};                                                                  \
    for (uint32_t i = 0; i < dimensions; i++) {                                                                        \
      fetch.gradients[0][i] = coordinate(right[i]);                                                                    \
      fetch.gradients[1][i] = coordinate(down[i]);                                                                     \
    }                                                                                                                  \
    gasan_cpu_texture_fetch(object, &fetch, result);                                                                   \
  }
TEXTURE_GRADIENT(1d, 1, false)
TEXTURE_GRADIENT(2d, 2, false)
TEXTURE_GRADIENT(3d, 3, false)
TEXTURE_GRADIENT(a1d, 1, true)
TEXTURE_GRADIENT(a2d, 2, true)

HELPER void NVVM(tex_1d_s32)(uint64_t object, COORDINATES, uint32_t *result) {
  struct gasan_cpu_fetch fetch = {.dimensions = 1, .texel = true, .number = (int32_t)a};
  (void)b, (void)c, (void)d;
  gasan_cpu_texture_fetch(object, &fetch, result);
}

#define GATHER(letter, number)                                                                                         \
  HELPER void NVVM(tld4_##letter##_2d_f32)(uint64_t object, COORDINATES, uint32_t *result) {                           \
    struct gasan_cpu_fetch fetch = fetch_of(2, false, false, a, b, c, d);                                              \
    fetch.gather = true;                                                                                               \
    fetch.component = number;                                                                                          \
    gasan_cpu_texture_fetch(object, &fetch, result);                                                                   \
  }
GATHER(r, 0)
GATHER(g, 1)
GATHER(b, 2)
GATHER(a, 3)

#define SURFACE_BOUNDS(shape, given_x, given_y, given_z, suffix, mode)                                                 \
  HELPER void NVVM(suld_b_##shape##_##suffix)(uint64_t object, COORDINATES, uint32_t size, void *to) {                 \
    (void)a, (void)b, (void)c, (void)d;                                                                                \
    struct gasan_cpu_surface_access access = {(int32_t)(given_x), (int32_t)(given_y), (int32_t)(given_z), size, mode}; \
    gasan_cpu_surface_read(object, &access, to);                                                                       \
  }                                                                                                                    \
  HELPER void NVVM(sust_b_##shape##_##suffix)(uint64_t object, COORDINATES, uint32_t size, const void *from) {         \
    (void)a, (void)b, (void)c, (void)d;                                                                                \
    struct gasan_cpu_surface_access access = {(int32_t)(given_x), (int32_t)(given_y), (int32_t)(given_z), size, mode}; \
    gasan_cpu_surface_write(object, &access, from);                                                                    \
  }
#define SURFACE(shape, x, y, z)                                                                                        \
  SURFACE_BOUNDS(shape, x, y, z, trap, GASAN_SURFACE_TRAP)                                                             \
  SURFACE_BOUNDS(shape, x, y, z, clamp, GASAN_SURFACE_CLAMP)                                                           \
  SURFACE_BOUNDS(shape, x, y, z, zero, GASAN_SURFACE_ZERO)
SURFACE(1d, a, 0, 0)
SURFACE(2d, a, b, 0)
SURFACE(3d, a, b, c)
SURFACE(a1d, b, 0, a)
SURFACE(a2d, b, c, a)
