/* What other parts of the runtime need of the allocation calls (memory.c). */
#ifndef GASAN_RT_MEMORY_H
#define GASAN_RT_MEMORY_H

/* Makes the frees that were kept back while streams captured. Any thread. */
void gasan_memory_free_kept(void);

#endif
