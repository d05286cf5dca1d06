/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of the ranges of copy and set nodes in graphs (graph_copies.c). Any thread. */
#ifndef GASAN_RT_GRAPH_COPIES_H
#define GASAN_RT_GRAPH_COPIES_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* Returns false if the node would copy or set memory out of range. This was reported, and the caller must not make the
 * call. */
bool gasan_graph_node_ok(const char *api, const struct cudaGraphNodeParams *params);

#endif
