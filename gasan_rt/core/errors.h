/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA errors that we return ourselves, so that cudaGetLastError knows them too. Per thread. */
#ifndef GASAN_RT_ERRORS_H
#define GASAN_RT_ERRORS_H

#include <driver_types.h>

#include "base/status.h"

/* Makes `error` the thread's last error and returns it; cudaSuccess leaves the last error alone. */
cudaError_t gasan_set_error(cudaError_t error);

/* The thread's last error, which is none from then on. */
cudaError_t gasan_take_error(void);

/* Around calls that are not the runtime API's: what they set is taken back. */
cudaError_t gasan_last_error(void);
void gasan_restore_error(cudaError_t error);

/* Around calls of the runtime API that are ours: an error of one is not the program's, and `waiting` is what the
 * program had not asked for before it. */
cudaError_t gasan_waiting_error(void);
void gasan_forget_error(cudaError_t waiting);

/* cudaErrorMemoryAllocation etc. for a failed status. */
cudaError_t gasan_cuda_error(struct gasan_status status);

#endif
