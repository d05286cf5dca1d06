/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gets and sets the thread's last CUDA error, for errors that we return ourselves. Any thread; no lock. */
#ifndef GASAN_RT_ERRORS_H
#define GASAN_RT_ERRORS_H

#include <driver_types.h>

#include "base/status.h"

/* Makes `error` the thread's last error and returns it; cudaSuccess leaves the last error alone. */
cudaError_t gasan_set_error(cudaError_t error);

/* Returns the thread's last error and clears it. */
cudaError_t gasan_take_error(void);

/* Read and restore the last error, around calls outside the runtime API. */
cudaError_t gasan_last_error(void);
void gasan_restore_error(cudaError_t error);

/* Must be called around our own calls of the runtime API. waiting_error returns the error that the program has not read
 * yet. forget_error clears the error of our call and restores `waiting`. */
cudaError_t gasan_waiting_error(void);
void gasan_forget_error(cudaError_t waiting);

/* Returns the CUDA error for a failed status, such as cudaErrorMemoryAllocation. */
cudaError_t gasan_cuda_error(struct gasan_status status);

#endif
