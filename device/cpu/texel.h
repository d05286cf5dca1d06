/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texels: how formats store them, and how fetches convert them. Any thread; no locks. */
#ifndef GASAN_DEVICE_CPU_TEXEL_H
#define GASAN_DEVICE_CPU_TEXEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gasan_cpu_texel_kind { GASAN_TEXEL_SIGNED, GASAN_TEXEL_UNSIGNED, GASAN_TEXEL_FLOAT };

struct gasan_cpu_texel_format {
  uint8_t kind;     /* enum gasan_cpu_texel_kind */
  uint8_t bits;     /* of a channel: 8, 16 or 32 */
  uint8_t channels; /* 1, 2 or 4 */
  bool normalized;  /* integers are read as [0, 1] or [-1, 1] */
  bool srgb;        /* the first three channels are converted from sRGB to linear */
};

/* Slices of rows of texels. A slice is a step in z, a layer or a face of a cube. */
struct gasan_cpu_texels {
  char *data;
  size_t pitch, slice_pitch;     /* bytes */
  uint32_t width, height, depth; /* at least 1 each */
};

static inline uint32_t gasan_cpu_texel_size(const struct gasan_cpu_texel_format *format) {
  return format->bits / 8u * format->channels;
}

/* Returns true if fetches of this format return floats. */
static inline bool gasan_cpu_texel_is_float(const struct gasan_cpu_texel_format *format) {
  return format->kind == GASAN_TEXEL_FLOAT || format->normalized;
}

static inline char *gasan_cpu_texel_at(const struct gasan_cpu_texels *texels, uint32_t size, uint32_t x, uint32_t y,
                                       uint32_t z) {
  return texels->data + z * texels->slice_pitch + y * texels->pitch + (size_t)x * size;
}

/* Reads a texel as four 32-bit components, floats or integers. Channels that the format lacks are zero. */
void gasan_cpu_texel_read(const struct gasan_cpu_texel_format *format, const void *texel, uint32_t result[4]);
/* Converts a border colour to such components. */
void gasan_cpu_texel_border(const struct gasan_cpu_texel_format *format, const float color[4], uint32_t result[4]);

#endif
