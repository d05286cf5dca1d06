/* What other parts of the runtime need of the allocation calls (memory.c). */
#ifndef GASAN_RT_MEMORY_H
#define GASAN_RT_MEMORY_H

#include <driver_types.h>

#include "pool/pool.h"

/* The calling thread and its stack, for a record; `api` lives for ever. */
struct gasan_pool_caller gasan_memory_caller(const char *api);

struct gasan_rt_device;
/* A chunk of the device's pool, which exists. */
cudaError_t gasan_memory_allocate(struct gasan_rt_device *state, const char *api, void **pointer, size_t size);
/* Waits for the device, then frees; what is no chunk's start is reported. While a stream captures, the free is kept. */
cudaError_t gasan_memory_free(struct gasan_rt_device *owner, const char *api, void *pointer);
/* cudaFree and cuMemFree of whatever memory; free_real: CUDA's own. */
cudaError_t gasan_memory_free_any(const char *api, void *pointer, cudaError_t (*free_real)(void *));
/* The same when no kernel can use the chunk any more. */
cudaError_t gasan_memory_free_now(struct gasan_rt_device *owner, struct gasan_pool_caller caller, uint64_t address);

/* Makes the frees that were kept back while streams captured. Any thread. */
void gasan_memory_free_kept(void);

#endif
