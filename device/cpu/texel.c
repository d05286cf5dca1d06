/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cpu/texel.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Exact: a float represents every half. */
static float float_of_half(uint16_t half) {
  const uint32_t exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
  float value;
  if (exponent == 0)
    value = ldexpf((float)fraction, -24);
  else if (exponent == 0x1f)
    value = fraction ? NAN : INFINITY;
  else
    value = ldexpf((float)(fraction | 0x400), (int)exponent - 25);
  return half & 0x8000 ? -value : value;
}

static float linear_of_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

/* Returns the stored bits, sign-extended if the format is signed. */
static uint32_t read_channel(const struct gasan_cpu_texel_format *format, const char *channel) {
  const bool is_signed = format->kind == GASAN_TEXEL_SIGNED;
  uint32_t value;
  uint16_t half;
  switch (format->bits) {
  case 8:
    return is_signed ? (uint32_t)*(const int8_t *)channel : *(const uint8_t *)channel;
  case 16:
    memcpy(&half, channel, sizeof half);
    return is_signed ? (uint32_t)(int16_t)half : half;
  default:
    memcpy(&value, channel, sizeof value);
    return value;
  }
}

/* Normalises an integer. The most negative integer has no positive counterpart: both it and the next one become -1. */
static float normalize(const struct gasan_cpu_texel_format *format, uint32_t value) {
  if (format->kind == GASAN_TEXEL_UNSIGNED)
    return (float)value / (float)((1u << format->bits) - 1);
  float scaled = (float)(int32_t)value / (float)((1u << (format->bits - 1)) - 1);
  return scaled < -1 ? -1 : scaled;
}

void gasan_cpu_texel_read(const struct gasan_cpu_texel_format *format, const void *texel, uint32_t result[4]) {
  memset(result, 0, 4 * sizeof *result);
  for (uint32_t i = 0; i < format->channels; i++) {
    uint32_t value = read_channel(format, (const char *)texel + i * (format->bits / 8u));
    if (format->kind == GASAN_TEXEL_FLOAT) {
      result[i] = format->bits == 16 ? bits_of(float_of_half((uint16_t)value)) : value;
    } else if (format->normalized) {
      float scaled = normalize(format, value);
      result[i] = bits_of(format->srgb && i < 3 ? linear_of_srgb(scaled) : scaled);
    } else {
      result[i] = value;
    }
  }
}

void gasan_cpu_texel_border(const struct gasan_cpu_texel_format *format, const float color[4], uint32_t result[4]) {
  memset(result, 0, 4 * sizeof *result);
  for (uint32_t i = 0; i < format->channels; i++)
    result[i] = gasan_cpu_texel_is_float(format)
                    ? bits_of(color[i])
                    : (uint32_t)(int64_t)fmaxf(-2147483648.0f, fminf(color[i], 4294967040.0f));
}
