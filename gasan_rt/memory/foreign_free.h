/* Freeing foreign memory (foreign_calls.c). */
#ifndef GASAN_RT_FOREIGN_CALLS_H
#define GASAN_RT_FOREIGN_CALLS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* What cudaFree, cudaFreeHost and the like do with a pointer outside the pool: a range of one of the kinds is freed, with
 * checks; anything else is reported, or CUDA's own function frees it. */
cudaError_t gasan_foreign_free(const char *api, void *pointer, uint32_t kinds, cudaError_t (*free_real)(void *));

/* The same for cudaFreeHost and cuMemFreeHost, which the pool's memory is not for. */
cudaError_t gasan_foreign_free_host(const char *api, void *pointer, cudaError_t (*free_real)(void *));

/* The program's own memory becomes known to the device, or unknown again: under its address, and under the device's if that is
 * another (alias; NULL: it is not). Ask for the alias before it is unregistered. */
void gasan_foreign_register(void *pointer, size_t size, const char *api);
void *gasan_foreign_alias(void *pointer);
void gasan_foreign_unregister(void *pointer, void *alias);

/* Gives the memory of all freed ranges back; false: there was none. */
bool gasan_foreign_give_back(void);

#endif
