/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles of streams, events, memory pools and other objects. Every pointer can be tested, so that a call with a
 * destroyed or invalid handle fails instead of crashing. Any thread; the set of handles has a lock. */
#ifndef GASAN_DEVICE_CPU_HANDLES_H
#define GASAN_DEVICE_CPU_HANDLES_H

#include <stdbool.h>
#include <stddef.h>

/* Kinds of handles. They are bits. */
enum gasan_cpu_handle {
  GASAN_CPU_HANDLE_STREAM = 1,
  GASAN_CPU_HANDLE_EVENT = 2,
  GASAN_CPU_HANDLE_POOL = 4,
  GASAN_CPU_HANDLE_GRAPH = 8,
  GASAN_CPU_HANDLE_GRAPH_NODE = 16,
  GASAN_CPU_HANDLE_GRAPH_EXEC = 32,
  GASAN_CPU_HANDLE_USER_OBJECT = 64,
  GASAN_CPU_HANDLE_ARRAY = 128,
  GASAN_CPU_HANDLE_ARRAY_LEVEL = 256, /* of a mipmapped array, which owns it */
  GASAN_CPU_HANDLE_MIPMAPPED_ARRAY = 512,
  GASAN_CPU_HANDLE_VIEW = 1024, /* a texture or surface object */
};

/* Allocates a handle: zeroed memory of this size. Returns NULL without memory. */
void *gasan_cpu_handle_new(size_t size, enum gasan_cpu_handle kind);
/* Returns true if the pointer, which may have any value, is a handle of this kind. */
bool gasan_cpu_handle_valid(const void *handle, enum gasan_cpu_handle kind);
/* Makes a handle invalid. The caller then owns the handle's memory and must free it. Returns false if the pointer is
 * not a handle of this kind. */
bool gasan_cpu_handle_retire(void *handle, enum gasan_cpu_handle kind);
/* Retires and frees a handle. */
bool gasan_cpu_handle_free(void *handle, enum gasan_cpu_handle kind);

#endif
