/* What other parts of the runtime need of the allocation calls (memory.c). */
#ifndef GASAN_RT_MEMORY_H
#define GASAN_RT_MEMORY_H

#include "pool/pool.h"

/* The calling thread and its stack, for a record; `api` lives for ever. */
struct gasan_pool_caller gasan_memory_caller(const char *api);

/* Makes the frees that were kept back while streams captured. Any thread. */
void gasan_memory_free_kept(void);

#endif
