/* The granules (bytes that a shadow byte stands for) of a link's objects. A program has one shadow, so it can have but one. */
#ifndef GASAN_DRIVER_GRANULE_H
#define GASAN_DRIVER_GRANULE_H

#include "driver/file.h"

struct gasan_granules {
  const char *granule, *file; /* of the first object that has one; NULL: none yet */
};

/* Ends the process, and names both files, if the object's granule is not that of those before. An object without checks
 * fits with all. Members of archives that the link may leave out are not for this: the runtime finds them at the start. */
void gasan_granules_add(struct gasan_granules *granules, const char *file, struct gasan_bytes object);

#endif
