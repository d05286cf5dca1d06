/* Views: texture and surface objects. The host keeps who made and who destroyed each, and what its memory is; kernels
 * look up what base/views.h describes.
 *
 * CUDA gives the numbers of destroyed objects again, and a program may destroy an object while kernels that it launched
 * before still use it. So what kernels find for a number changes only when all launches are known to be complete that
 * were made with the number's old meaning. Until then the old meaning stays, or, if there is a new object, nothing is
 * checked. Any thread. */
#ifndef GASAN_RT_VIEWS_H
#define GASAN_RT_VIEWS_H

#include "base/views.h"
#include "gasan_rt/arrays.h"
#include "gasan_rt/runtime.h"

enum gasan_view_end { GASAN_VIEW_USABLE, GASAN_VIEW_DESTROYED, GASAN_VIEW_ARRAY_FREED, GASAN_VIEW_MEMORY_FREED };

struct gasan_view {
  uint64_t object;
  uint32_t number; /* as in base/views.h */
  int ordinal;     /* of its device */
  bool is_surface;
  enum gasan_view_end end;
  bool has_array;
  struct gasan_array array;
  uint32_t texel;           /* bytes of an element; 0: not known */
  uint64_t memory;          /* of a texture on linear memory; else 0 */
  struct gasan_chunk chunk; /* GASAN_VIEW_MEMORY_FREED: its allocation */
  struct gasan_pool_caller created, destroyed;
};

/* What the program has made and destroyed in the current context; nothing is noted of contexts that are not checked.
 * resource NULL: not known, and accesses through the object are not checked. */
void gasan_views_note_created(bool is_surface, uint64_t object, const struct cudaResourceDesc *resource,
                              const char *api);
void gasan_views_note_destroyed(bool is_surface, uint64_t object, const char *api);

/* False: the record is gone. */
bool gasan_view_find(uint32_t number, struct gasan_view *view);

/* The array, or the mipmapped one, is freed. */
void gasan_views_array_freed(const void *handle, struct gasan_pool_caller caller);

/* Writes what has changed to the device. Before each launch of such a module; one load if there is nothing to do. */
void gasan_views_upload(struct gasan_rt_device *state);

#endif
