/* The addresses that are handles of arrays now. */
#ifndef GASAN_DEVICE_CPU_ARRAY_HANDLES_H
#define GASAN_DEVICE_CPU_ARRAY_HANDLES_H

#include "device/cpu/ranges.h"

enum gasan_cpu_array_handle {
  GASAN_ARRAY = 1,
  GASAN_ARRAY_MIPMAPPED = 2,
  GASAN_ARRAY_LEVEL = 4, /* of a mipmapped one, which owns it */
};

extern struct gasan_cpu_ranges gasan_cpu_array_handles;

#endif
