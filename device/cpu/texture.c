/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fetches from textures, as described in "Texture Fetching" of the CUDA programming guide. */
#include "device/cpu/texture.h"

#include <math.h>
#include <string.h>

#include "base/export.h"
#include "device/cpu/view.h"

#define FRACTION_BITS 8 /* fractional bits of filter weights */
#define FRACTION_ONE (1 << FRACTION_BITS)

/* The samples on one axis: one texel, or two with a weight for the second. -1: a texel of the border. */
struct samples {
  int64_t texel[2];
  int32_t weight; /* of texel[1], in units of 1 / FRACTION_ONE */
};

static int64_t fold(int64_t texel, int64_t size, enum cudaTextureAddressMode mode) {
  int64_t position;
  switch (mode) {
  case cudaAddressModeWrap:
    return (texel % size + size) % size;
  case cudaAddressModeMirror:
    position = (texel % (2 * size) + 2 * size) % (2 * size);
    return position < size ? position : 2 * size - 1 - position;
  case cudaAddressModeBorder:
    return texel >= 0 && texel < size ? texel : -1;
  default:
    return texel < 0 ? 0 : texel < size ? texel : size - 1;
  }
}

/* Returns the position in texels. Reduces a repeating position to its period, so that large coordinates keep their
 * fraction. */
static double position_of(double coordinate, uint32_t size, bool normalized, enum cudaTextureAddressMode mode) {
  const double limit = 1 << 30;
  double position = normalized ? coordinate * size : coordinate;
  if (!(position == position))
    return 0;
  if (isfinite(position) && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
    return fmod(position, 2.0 * size);
  return fmax(-limit, fmin(position, limit));
}

static struct samples sample_axis(double position, uint32_t size, bool linear, enum cudaTextureAddressMode mode) {
  struct samples samples = {{0, 0}, 0};
  if (linear) {
    int64_t fixed = (int64_t)floor((position - 0.5) * FRACTION_ONE + 0.5);
    int64_t first = fixed >> FRACTION_BITS;
    samples.weight = (int32_t)(fixed & (FRACTION_ONE - 1));
    samples.texel[0] = fold(first, size, mode);
    samples.texel[1] = fold(first + 1, size, mode);
  } else {
    samples.texel[0] = fold((int64_t)floor(position), size, mode);
  }
  return samples;
}

/* A fetch from one level: the texture, the level's texels, and the samples on each axis. */
struct sampler {
  const struct gasan_cpu_view *view;
  const struct gasan_cpu_texels *texels;
  struct samples axes[3];
};

static void read_texel(const struct sampler *sampler, int64_t x, int64_t y, int64_t z, uint32_t result[4]) {
  const struct gasan_cpu_view *view = sampler->view;
  if (x < 0 || y < 0 || z < 0)
    return gasan_cpu_texel_border(&view->format, view->texture.borderColor, result);
  gasan_cpu_texel_read(
      &view->format,
      gasan_cpu_texel_at(sampler->texels, gasan_cpu_texel_size(&view->format), (uint32_t)x, (uint32_t)y, (uint32_t)z),
      result);
}

static void add_weighted(const uint32_t texel[4], double weight, double sum[4]) {
  for (int i = 0; i < 4; i++) {
    float value;
    memcpy(&value, &texel[i], sizeof value);
    sum[i] += weight * (double)value;
  }
}

static void store_sum(const double sum[4], uint32_t result[4]) {
  for (int i = 0; i < 4; i++) {
    float value = (float)sum[i];
    memcpy(&result[i], &value, sizeof value);
  }
}

static void filter(const struct sampler *sampler, uint32_t result[4]) {
  double sum[4] = {0};
  for (uint32_t corner = 0; corner < 8; corner++) {
    int64_t texel[3];
    double weight = 1;
    for (uint32_t axis = 0; axis < 3; axis++) {
      const struct samples *samples = &sampler->axes[axis];
      const bool second = corner >> axis & 1;
      texel[axis] = samples->texel[second];
      weight *= (double)(second ? samples->weight : FRACTION_ONE - samples->weight) / FRACTION_ONE;
    }
    if (weight == 0) /* an infinity there must not become a NaN */
      continue;
    uint32_t value[4];
    read_texel(sampler, texel[0], texel[1], texel[2], value);
    add_weighted(value, weight, sum);
  }
  store_sum(sum, result);
}

/* Gathers one component of the four texels, counter-clockwise from the lower left. */
static void gather(const struct sampler *sampler, uint32_t component, uint32_t result[4]) {
  static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (int i = 0; i < 4; i++) {
    uint32_t value[4];
    read_texel(sampler, sampler->axes[0].texel[order[i][0]], sampler->axes[1].texel[order[i][1]], 0, value);
    result[i] = value[component];
  }
}

static uint32_t clamp_layer(int64_t layer, uint32_t count) {
  return layer < 0 ? 0 : layer < count ? (uint32_t)layer : count - 1;
}

/* Returns the face that a direction meets; sets `place` to the place on this face, in [0, 1]. */
static uint32_t face_of(const float direction[3], double place[2]) {
  const double x = direction[0], y = direction[1], z = direction[2];
  const double size[3] = {fabs(x), fabs(y), fabs(z)};
  const uint32_t axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
  const bool negative = direction[axis] < 0;
  const double s[3] = {negative ? z : -z, x, negative ? -x : x};
  const double t[3] = {-y, negative ? -z : z, -y};
  const double major = size[axis] > 0 ? size[axis] : 1;
  place[0] = (s[axis] / major + 1) / 2;
  place[1] = (t[axis] / major + 1) / 2;
  return axis * 2 + negative;
}

static enum cudaTextureAddressMode mode_of(const struct cudaTextureDesc *texture, uint32_t axis) {
  enum cudaTextureAddressMode mode = texture->addressMode[axis];
  if (!texture->normalizedCoords && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
    return cudaAddressModeClamp;
  return mode;
}

static void sample_level(const struct gasan_cpu_view *view, const struct gasan_cpu_texels *texels,
                         const struct gasan_cpu_fetch *fetch, uint32_t result[4]) {
  const struct cudaTextureDesc *texture = &view->texture;
  const uint32_t sizes[3] = {texels->width, texels->height, texels->depth};
  const bool linear =
      (texture->filterMode == cudaFilterModeLinear && gasan_cpu_texel_is_float(&view->format)) || fetch->gather;
  struct sampler sampler = {.view = view, .texels = texels};
  int64_t slice = fetch->layered ? fetch->layer : 0;
  double place[3] = {(double)fetch->coordinates[0], (double)fetch->coordinates[1], (double)fetch->coordinates[2]};
  uint32_t dimensions = fetch->dimensions;
  if (fetch->cube) {
    slice =
        (int64_t)clamp_layer(slice, texels->depth / 6 ? texels->depth / 6 : 1) * 6 + face_of(fetch->coordinates, place);
    dimensions = 2;
  }
  for (uint32_t axis = 0; axis < dimensions; axis++) {
    enum cudaTextureAddressMode mode = fetch->cube ? cudaAddressModeClamp : mode_of(texture, axis);
    double position = position_of(place[axis], sizes[axis], texture->normalizedCoords || fetch->cube, mode);
    sampler.axes[axis] = sample_axis(position, sizes[axis], linear, mode);
  }
  if (fetch->layered || fetch->cube)
    sampler.axes[2] = (struct samples){{clamp_layer(slice, texels->depth), 0}, 0};
  if (fetch->gather)
    gather(&sampler, fetch->component, result);
  else if (linear)
    filter(&sampler, result);
  else
    read_texel(&sampler, sampler.axes[0].texel[0], sampler.axes[1].texel[0], sampler.axes[2].texel[0], result);
}

/* Returns the level at which the longer of the two gradients has the length of one texel. */
static double level_of_gradient(const struct gasan_cpu_view *view, const struct gasan_cpu_fetch *fetch) {
  const struct gasan_cpu_texels *texels = &view->levels[0];
  const uint32_t sizes[3] = {texels->width, texels->height, texels->depth};
  double longest = 0;
  for (int step = 0; step < 2; step++) {
    double square = 0;
    for (uint32_t axis = 0; axis < fetch->dimensions; axis++) {
      double length = (double)fetch->gradients[step][axis] * (view->texture.normalizedCoords ? sizes[axis] : 1);
      square += length * length;
    }
    longest = fmax(longest, square);
  }
  return longest > 0 ? log2(longest) / 2 : -INFINITY;
}

static double choose_level(const struct gasan_cpu_view *view, const struct gasan_cpu_fetch *fetch) {
  const struct cudaTextureDesc *texture = &view->texture;
  double level = 0;
  if (view->level_count == 1)
    return 0;
  if (fetch->level_kind == GASAN_TEXTURE_LEVEL_GIVEN)
    level = (double)fetch->level;
  else if (fetch->level_kind == GASAN_TEXTURE_LEVEL_OF_GRADIENT)
    level = level_of_gradient(view, fetch);
  level += (double)texture->mipmapLevelBias;
  level = fmax((double)texture->minMipmapLevelClamp, fmin(level, (double)texture->maxMipmapLevelClamp));
  return fmax(0, fmin(level, view->level_count - 1.0));
}

static void sample(const struct gasan_cpu_view *view, const struct gasan_cpu_fetch *fetch, uint32_t result[4]) {
  double level = choose_level(view, fetch);
  if (view->texture.mipmapFilterMode != cudaFilterModeLinear || !gasan_cpu_texel_is_float(&view->format) ||
      fetch->gather)
    return sample_level(view, &view->levels[(uint32_t)floor(level + 0.5)], fetch, result);
  uint32_t fixed = (uint32_t)floor(level * FRACTION_ONE + 0.5), first = fixed >> FRACTION_BITS;
  double weight = (double)(fixed & (FRACTION_ONE - 1)) / FRACTION_ONE, sum[4] = {0};
  uint32_t value[4];
  sample_level(view, &view->levels[first], fetch, value);
  if (weight == 0) {
    memcpy(result, value, sizeof value);
    return;
  }
  add_weighted(value, 1 - weight, sum);
  sample_level(view, &view->levels[first + 1], fetch, value);
  add_weighted(value, weight, sum);
  store_sum(sum, result);
}

/* Reads a texel of linear memory by its number; returns zeros after the end of the memory. */
static void read_number(const struct gasan_cpu_view *view, int32_t number, uint32_t result[4]) {
  const struct gasan_cpu_texels *texels = &view->levels[0];
  if (number < 0 || (uint32_t)number >= texels->width)
    memset(result, 0, 4 * sizeof *result);
  else
    gasan_cpu_texel_read(
        &view->format, gasan_cpu_texel_at(texels, gasan_cpu_texel_size(&view->format), (uint32_t)number, 0, 0), result);
}

GASAN_EXPORT void gasan_cpu_texture_fetch(uint64_t object, const struct gasan_cpu_fetch *fetch, uint32_t *result) {
  const struct gasan_cpu_view *view = gasan_cpu_view_find(object, GASAN_VIEW_TEXTURE);
  if (fetch->texel)
    read_number(view, fetch->number, result);
  else
    sample(view, fetch, result);
}
