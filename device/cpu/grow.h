/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays that grow. */
#ifndef GASAN_DEVICE_CPU_GROW_H
#define GASAN_DEVICE_CPU_GROW_H

#include <stdbool.h>
#include <stdlib.h>

/* Makes room for one more item. `items` points to the pointer to the array (malloc's, or NULL), which has `count` items
 * of `size` bytes and room for *room items. Returns false without memory, and changes nothing then. */
static inline bool gasan_cpu_grow(void *items, size_t count, size_t *room, size_t size) {
  if (count < *room)
    return true;
  size_t more = *room ? *room * 2 : 4;
  void *grown = realloc(*(void **)items, more * size);
  if (!grown)
    return false;
  *(void **)items = grown;
  *room = more;
  return true;
}

#endif
