/* CUDA errors that we return ourselves, so that cudaGetLastError knows them too. Per thread. */
#ifndef GASAN_RT_ERRORS_H
#define GASAN_RT_ERRORS_H

#include <driver_types.h>

/* Makes `error` the thread's last error and returns it; cudaSuccess leaves the last error alone. */
cudaError_t gasan_set_error(cudaError_t error);

#endif
