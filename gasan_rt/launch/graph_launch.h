/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches of executable graphs. Any thread. A launch holds the gate (launch_log.h), as a kernel's does. */
#ifndef GASAN_RT_GRAPH_LAUNCH_H
#define GASAN_RT_GRAPH_LAUNCH_H

#include <cuda_runtime_api.h>

typedef cudaError_t (*gasan_graph_launch_function)(cudaGraphExec_t exec, cudaStream_t stream);

/* Makes the call `real`, whose name is `api`, and returns its result. `meant` is the stream that `stream` stands
 * for. */
cudaError_t gasan_graph_launch_make(gasan_graph_launch_function real, cudaGraphExec_t exec, cudaStream_t stream,
                                    cudaStream_t meant, const char *api);

#endif
