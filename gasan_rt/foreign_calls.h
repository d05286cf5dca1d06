/* Freeing foreign memory (foreign_calls.c). */
#ifndef GASAN_RT_FOREIGN_CALLS_H
#define GASAN_RT_FOREIGN_CALLS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* What cudaFree, cudaFreeHost and the like do with a pointer outside the pool: a range of one of the kinds is freed, with
 * checks; anything else is reported, or CUDA's own function frees it. */
cudaError_t gasan_foreign_free(const char *api, void *pointer, uint32_t kinds, cudaError_t (*free_real)(void *));

/* Gives the memory of all freed ranges back; false: there was none. */
bool gasan_foreign_give_back(void);

#endif
