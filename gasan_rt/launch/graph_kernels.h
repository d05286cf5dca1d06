/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of CUDA graphs: where each kernel node was added or captured, and which kernels an executable graph may
 * run. Any thread. */
#ifndef GASAN_RT_GRAPH_KERNELS_H
#define GASAN_RT_GRAPH_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/launch/registry.h"

struct gasan_rt_device;

/* A kernel in a shape, and the host stack that brought it into a graph. */
struct gasan_graph_kernel {
  const struct gasan_kernel *kernel;
  uint32_t grid[3], block[3];
  uint32_t stack, thread;
  int ordinal;   /* of the device that was current */
  bool captured; /* else added by a call of the graph API */
};

/* The kernels of an executable graph. Lives for ever: the launch log refers to it. */
struct gasan_graph_kernels;

/* A node that runs this kernel; one known before under the handle is replaced. */
void gasan_graph_note_node(cudaGraphNode_t node, const struct gasan_graph_kernel *kernel);
/* The node that a capturing stream got last. */
void gasan_graph_note_captured(cudaStream_t stream, const struct gasan_graph_kernel *kernel);
/* `copy` was made of `graph` with the same nodes in the same order. */
void gasan_graph_note_copy(cudaGraph_t copy, cudaGraph_t graph);
/* Graphs that a conditional node holds; CUDA has no question for them. */
void gasan_graph_note_bodies(cudaGraphNode_t node, cudaGraph_t *bodies, unsigned count);

/* The kernel of a node that runs `function`, as CUDA says, and the device that was current when it was added; NULL: not
 * known. */
const struct gasan_kernel *gasan_graph_node_kernel(cudaGraphNode_t node, const void *function, int *ordinal);
/* The node's copy in a clone of its graph, or in a child graph of that clone. NULL: there is none, and CUDA has noted
 * an error. */
cudaGraphNode_t gasan_graph_find_in_clone(cudaGraph_t clone, cudaGraphNode_t node);
/* Visits the nodes of the graph and of its child graphs. */
void gasan_graph_each_node(cudaGraph_t graph,
                           void (*visit)(cudaGraphNode_t node, enum cudaGraphNodeType type, void *context),
                           void *context);

/* The executable runs the kernels of this graph from now on (too), each made ready for checks. */
void gasan_graph_note_executable(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraph_t graph);
void gasan_graph_note_executable_kernel(struct gasan_rt_device *state, cudaGraphExec_t exec,
                                        const struct gasan_graph_kernel *kernel);
void gasan_graph_forget_executable(cudaGraphExec_t exec);
/* NULL: not known. */
const struct gasan_graph_kernels *gasan_graph_kernels(cudaGraphExec_t exec);

/* The first kernel among these that `fits` says true of. */
bool gasan_graph_find_kernel(const struct gasan_graph_kernels *kernels,
                             bool (*fits)(const struct gasan_graph_kernel *kernel, const void *context),
                             const void *context, struct gasan_graph_kernel *found);

#endif
