/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges of graph nodes that copy and set (graph_copies.c). Any thread. */
#ifndef GASAN_RT_GRAPH_COPIES_H
#define GASAN_RT_GRAPH_COPIES_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* False: the node would copy or set memory out of range; it was reported, and the call is not to be made. */
bool gasan_graph_node_ok(const char *api, const struct cudaGraphNodeParams *params);

#endif
