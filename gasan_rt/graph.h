/* What is known of CUDA graphs: where each kernel node was added or captured, and which kernels an executable graph may run.
 * Any thread. */
#ifndef GASAN_RT_GRAPH_H
#define GASAN_RT_GRAPH_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/registry.h"

struct gasan_rt_device;

/* A kernel in a shape, and the host stack that brought it into a graph. */
struct gasan_graph_kernel {
  const struct gasan_kernel *kernel;
  uint32_t grid[3], block[3];
  uint32_t stack, thread;
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

/* The executable runs the kernels of this graph from now on (too), each made ready for checks. */
void gasan_graph_note_executable(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraph_t graph);
void gasan_graph_note_executable_kernel(struct gasan_rt_device *state, cudaGraphExec_t exec, const struct gasan_graph_kernel *kernel);
void gasan_graph_forget_executable(cudaGraphExec_t exec);
/* NULL: not known. */
const struct gasan_graph_kernels *gasan_graph_kernels(cudaGraphExec_t exec);

/* The first kernel among these that `fits` says true of. */
bool gasan_graph_find_kernel(const struct gasan_graph_kernels *kernels,
                             bool (*fits)(const struct gasan_graph_kernel *kernel, const void *context), const void *context,
                             struct gasan_graph_kernel *found);

#endif
