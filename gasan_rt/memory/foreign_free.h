/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles CUDA calls that allocate, register and free memory outside the pool (foreign.h has the records). Any thread;
 * no lock of its own. */
#ifndef GASAN_RT_FOREIGN_FREE_H
#define GASAN_RT_FOREIGN_FREE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/memory/foreign.h"

/* Returns true if the current device's memory is checked. It is not checked in a program that the host's
 * AddressSanitizer checks: such a program has no pool, and no free is delayed. */
bool gasan_foreign_watches(void);

/* Records memory that a call has allocated or registered. Returns `error`, the result of that call. */
cudaError_t gasan_foreign_note(cudaError_t error, enum gasan_foreign_kind kind, void **pointer, size_t size,
                               const char *api);

/* Returns true if the program has freed this memory and we keep it in quarantine. */
bool gasan_foreign_is_free(const void *pointer);

/* Frees a pointer outside the pool for cudaFree, cudaFreeHost and similar calls. Frees a range of one of the kinds
 * after checking it. Reports other known memory. Passes unknown memory to free_real. */
cudaError_t gasan_foreign_free(const char *api, void *pointer, uint32_t kinds, cudaError_t (*free_real)(void *));

/* Does the same for cudaFreeHost and cuMemFreeHost. Reports a pointer into the pool. */
cudaError_t gasan_foreign_free_host(const char *api, void *pointer, cudaError_t (*free_real)(void *));

/* Record that the program has registered or unregistered its own memory. The device may have another address for this
 * memory, the alias; NULL: it has none. The alias must be queried before CUDA unregisters the memory. */
void gasan_foreign_register(void *pointer, size_t size, const char *api);
void *gasan_foreign_alias(void *pointer);
void gasan_foreign_unregister(void *pointer, void *alias);

/* Returns the memory of all quarantined ranges to CUDA. False: there was none. */
bool gasan_foreign_give_back(void);

#endif
