/* Stream capture: while a stream captures, waiting for its device is an error that would spoil the capture. Any thread. */
#ifndef GASAN_RT_CAPTURE_H
#define GASAN_RT_CAPTURE_H

#include <stdbool.h>

/* Is any stream of the process capturing? */
bool gasan_capture_active(void);

/* Is this stream? A kernel launched into it starts no grid now. */
bool gasan_capture_in(void *stream);

#endif
