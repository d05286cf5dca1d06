/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Begins and ends calls of the graph API. */
#ifndef GASAN_DEVICE_CPU_API_GRAPH_H
#define GASAN_DEVICE_CPU_API_GRAPH_H

#include "device/cpu/api.h"
#include "device/cpu/graph.h"
#include "device/cpu/handles.h"

#define GASAN_VALID(handle, kind) gasan_cpu_handle_valid(handle, GASAN_CPU_HANDLE_##kind)

/* Unlocks the graphs' lock. Notes and returns the call's error. */
static inline cudaError_t gasan_cpu_graph_leave(cudaError_t error) {
  gasan_cpu_graph_unlock();
  return error == cudaSuccess ? gasan_cpu_check() : gasan_cpu_result(error);
}

/* Locks the graphs' lock. If the condition is false under the lock, returns cudaErrorInvalidValue from the calling
 * function. */
#define GASAN_GRAPH_ENTER(condition)                                                                                   \
  do {                                                                                                                 \
    gasan_cpu_graph_lock();                                                                                            \
    if (!(condition))                                                                                                  \
      return gasan_cpu_graph_leave(cudaErrorInvalidValue);                                                             \
  } while (0)

#endif
