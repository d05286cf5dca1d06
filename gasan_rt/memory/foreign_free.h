/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory outside the pool, as calls make, name and free it (foreign.h keeps the records). Any thread; no lock of its
 * own. */
#ifndef GASAN_RT_FOREIGN_FREE_H
#define GASAN_RT_FOREIGN_FREE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/memory/foreign.h"

/* Is the current device's memory checked? A program that the host's AddressSanitizer checks has no pool, and nothing of
 * it is for us to hold back. */
bool gasan_foreign_watches(void);

/* A call has made memory of this kind, or has ended with this error, which is returned. */
cudaError_t gasan_foreign_note(cudaError_t error, enum gasan_foreign_kind kind, void **pointer, size_t size,
                               const char *api);

/* Has the program freed this memory, which we hold? */
bool gasan_foreign_is_free(const void *pointer);

/* What cudaFree, cudaFreeHost and the like do with a pointer outside the pool: a range of one of the kinds is freed,
 * with checks; anything else is reported, or CUDA's own function frees it. */
cudaError_t gasan_foreign_free(const char *api, void *pointer, uint32_t kinds, cudaError_t (*free_real)(void *));

/* The same for cudaFreeHost and cuMemFreeHost, which the pool's memory is not for. */
cudaError_t gasan_foreign_free_host(const char *api, void *pointer, cudaError_t (*free_real)(void *));

/* The program's own memory becomes known to the device, or unknown again: under its address, and under the device's if
 * that is another (alias; NULL: it is not). Ask for the alias before it is unregistered. */
void gasan_foreign_register(void *pointer, size_t size, const char *api);
void *gasan_foreign_alias(void *pointer);
void gasan_foreign_unregister(void *pointer, void *alias);

/* Gives the memory of all freed ranges back; false: there was none. */
bool gasan_foreign_give_back(void);

#endif
