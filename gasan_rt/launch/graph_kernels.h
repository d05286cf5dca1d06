/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records the kernels of CUDA graphs: the place where each kernel node was added or captured, and the kernels that an
 * executable graph may run. Any thread. One lock (`lock`), under which nothing is called. */
#ifndef GASAN_RT_GRAPH_KERNELS_H
#define GASAN_RT_GRAPH_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/launch/registry.h"

struct gasan_rt_device;
struct gasan_launch_inputs;

/* A kernel with its shape, and the host stack of the call that added the kernel to a graph. */
struct gasan_graph_kernel {
  const struct gasan_kernel *kernel;
  uint32_t grid[3], block[3];
  uint32_t stack, thread;
  int ordinal;   /* of the device that was current */
  bool captured; /* else added by a call of the graph API */
};

/* The kernels of an executable graph. Never freed, because the launch log refers to it. */
struct gasan_graph_kernels;

/* Records that a node runs this kernel. Replaces the record of an earlier node with the same handle. */
void gasan_graph_note_node(cudaGraphNode_t node, const struct gasan_graph_kernel *kernel);
/* Does the same for the node that the capturing stream got last. */
void gasan_graph_note_captured(cudaStream_t stream, const struct gasan_graph_kernel *kernel);
/* Copies the records of a graph's nodes to the graph's copy, which has the same nodes in the same order. */
void gasan_graph_note_copy(cudaGraph_t copy, cudaGraph_t graph);
/* Records the body graphs of a conditional node, which CUDA cannot list. */
void gasan_graph_note_bodies(cudaGraphNode_t node, cudaGraph_t *bodies, unsigned count);

/* Returns the kernel of a node that, according to CUDA, runs `function`, and sets *ordinal to the device that was
 * current when the node was added. NULL: not known. */
const struct gasan_kernel *gasan_graph_node_kernel(cudaGraphNode_t node, const void *function, int *ordinal);
/* Returns the node's copy in a clone of its graph, or in a child graph of the clone. NULL: there is none, and CUDA has
 * set an error. */
cudaGraphNode_t gasan_graph_find_in_clone(cudaGraph_t clone, cudaGraphNode_t node);
/* Visits the nodes of the graph and of its child graphs. */
void gasan_graph_each_node(cudaGraph_t graph,
                           void (*visit)(cudaGraphNode_t node, enum cudaGraphNodeType type, void *context),
                           void *context);

/* Add the kernels of a graph, or one kernel, to those of the executable, and prepare their modules for checks. params:
 * the kernel's arguments; NULL: not known. */
void gasan_graph_note_executable(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraph_t graph);
void gasan_graph_note_executable_kernel(struct gasan_rt_device *state, cudaGraphExec_t exec,
                                        const struct gasan_graph_kernel *kernel,
                                        const struct cudaKernelNodeParams *params);
void gasan_graph_forget_executable(cudaGraphExec_t exec);
/* Returns the kernels of the executable; NULL: not known. */
const struct gasan_graph_kernels *gasan_graph_kernels(cudaGraphExec_t exec);

/* Finds the first kernel for which `fits` returns true. */
bool gasan_graph_find_kernel(const struct gasan_graph_kernels *kernels,
                             bool (*fits)(const struct gasan_graph_kernel *kernel, const void *context),
                             const void *context, struct gasan_graph_kernel *found);

/* Copies the different inputs that the nodes with this kernel and shape have had. Returns their number, at most
 * GASAN_GRAPH_INPUTS; 0: not all of them are known. */
#define GASAN_GRAPH_INPUTS 8u
uint32_t gasan_graph_copy_inputs(const struct gasan_graph_kernels *kernels, const struct gasan_graph_kernel *kernel,
                                 struct gasan_launch_inputs *inputs);

#endif
