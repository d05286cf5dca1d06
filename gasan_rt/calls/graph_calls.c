/* Calls that bring kernels into graphs, make graphs executable, or change what executable ones do (its copies and sets:
 * graph_copies.c). */
#include <string.h>

#include "gasan_rt/calls/export.h"
#include "gasan_rt/calls/graph_copies.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/graph_kernels.h"
#include "gasan_rt/launch/graph_launch_proof.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static bool describe(struct gasan_graph_kernel *kernel, const void *function, dim3 grid, dim3 block, const char *api) {
  const struct gasan_rt_device *state = gasan_rt_current();
  *kernel = (struct gasan_graph_kernel){.kernel = gasan_registry_kernel(function),
                                        .grid = {grid.x, grid.y, grid.z},
                                        .block = {block.x, block.y, block.z},
                                        .stack = gasan_stack_capture(api),
                                        .thread = gasan_thread_number(),
                                        .ordinal = state ? state->device->ordinal : -1};
  return kernel->kernel != NULL;
}

static void note_kernel(cudaGraphNode_t node, const struct cudaKernelNodeParams *params, const char *api) {
  struct gasan_graph_kernel kernel;
  if (describe(&kernel, params->func, params->gridDim, params->blockDim, api))
    gasan_graph_note_node(node, &kernel);
}

static void note_executable_kernel(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params,
                                   const char *api) {
  struct gasan_rt_device *state = gasan_rt_current();
  struct gasan_graph_kernel kernel;
  if (state && describe(&kernel, params->func, params->gridDim, params->blockDim, api))
    gasan_graph_note_executable_kernel(state, exec, &kernel);
  gasan_graph_proof_changed_kernel(exec, node, params);
}

static void note_child(cudaGraphNode_t node, cudaGraph_t graph) {
  cudaGraph_t child = NULL;
  if (GASAN_REAL(cudaGraphChildGraphNodeGetGraph)(node, &child) == cudaSuccess && child && child != graph)
    gasan_graph_note_copy(child, graph);
}

static void note_executable(cudaGraphExec_t exec, cudaGraph_t graph) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (state)
    gasan_graph_note_executable(state, exec, graph);
}

static void changed_child(cudaGraphExec_t exec, cudaGraph_t child) {
  note_executable(exec, child);
  gasan_graph_proof_lost(exec);
}

static cudaError_t made(cudaError_t error, cudaGraphExec_t *exec, cudaGraph_t graph) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (error == cudaSuccess && state) {
    gasan_graph_note_executable(state, *exec, graph);
    gasan_graph_proof_made(state, *exec, graph);
  }
  return error;
}

EXPORT cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                          const struct cudaKernelNodeParams *params) {
  cudaError_t error = GASAN_REAL(cudaGraphAddKernelNode)(node, graph, before, count, params);
  if (error == cudaSuccess)
    note_kernel(*node, params, "cudaGraphAddKernelNode");
  return error;
}

EXPORT cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                              size_t count, cudaGraph_t child) {
  cudaError_t error = GASAN_REAL(cudaGraphAddChildGraphNode)(node, graph, before, count, child);
  if (error == cudaSuccess)
    note_child(*node, child);
  return error;
}

/* The parameters of any node, whose kernel's begin like those of cudaGraphAddKernelNode. */
static const struct cudaKernelNodeParams *kernel_of(const struct cudaGraphNodeParams *params) {
  _Static_assert(sizeof(struct cudaKernelNodeParams) == sizeof(struct cudaKernelNodeParamsV2), "the same members");
  return params->type == cudaGraphNodeTypeKernel ? (const void *)&params->kernel : NULL;
}

EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                    const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params) {
  gasan_rt_kind();
  if (!gasan_graph_node_ok("cudaGraphAddNode", params))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaGraph_t child = params && params->type == cudaGraphNodeTypeGraph ? params->graph.graph : NULL;
  cudaError_t error = GASAN_REAL(cudaGraphAddNode)(node, graph, before, edges, count, params);
  if (error != cudaSuccess)
    return error;
  if (kernel_of(params))
    note_kernel(*node, kernel_of(params), "cudaGraphAddNode");
  else if (child)
    note_child(*node, child);
  else if (params->type == cudaGraphNodeTypeConditional)
    gasan_graph_note_bodies(*node, params->conditional.phGraph_out, params->conditional.size);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  cudaError_t error = GASAN_REAL(cudaGraphClone)(clone, graph);
  if (error == cudaSuccess)
    gasan_graph_note_copy(*clone, graph);
  return error;
}

EXPORT cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
  cudaError_t error = GASAN_REAL(cudaGraphKernelNodeSetParams)(node, params);
  if (error == cudaSuccess)
    note_kernel(node, params, "cudaGraphKernelNodeSetParams");
  return error;
}

EXPORT cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
  gasan_rt_kind();
  if (!gasan_graph_node_ok("cudaGraphNodeSetParams", params))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error = GASAN_REAL(cudaGraphNodeSetParams)(node, params);
  if (error == cudaSuccess && kernel_of(params))
    note_kernel(node, kernel_of(params), "cudaGraphNodeSetParams");
  return error;
}

EXPORT cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const struct cudaKernelNodeParams *params) {
  cudaError_t error = GASAN_REAL(cudaGraphExecKernelNodeSetParams)(exec, node, params);
  if (error == cudaSuccess)
    note_executable_kernel(exec, node, params, "cudaGraphExecKernelNodeSetParams");
  return error;
}

EXPORT cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
  gasan_rt_kind();
  if (!gasan_graph_node_ok("cudaGraphExecNodeSetParams", params))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error = GASAN_REAL(cudaGraphExecNodeSetParams)(exec, node, params);
  if (error != cudaSuccess)
    return error;
  if (kernel_of(params))
    note_executable_kernel(exec, node, kernel_of(params), "cudaGraphExecNodeSetParams");
  else if (params->type == cudaGraphNodeTypeGraph)
    changed_child(exec, params->graph.graph);
  else
    GASAN_GRAPH_FOLLOW(exec, node, GASAN_REAL(cudaGraphNodeSetParams)(twin.node, params),
                       GASAN_REAL(cudaGraphExecNodeSetParams)(twin.exec, twin.node, params));
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child) {
  cudaError_t error = GASAN_REAL(cudaGraphExecChildGraphNodeSetParams)(exec, node, child);
  if (error == cudaSuccess)
    changed_child(exec, child);
  return error;
}

EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  cudaError_t error = GASAN_REAL(cudaGraphExecUpdate)(exec, graph, info);
  if (error == cudaSuccess) {
    note_executable(exec, graph);
    gasan_graph_proof_updated(exec, graph);
  } else { /* CUDA does not say what has become of it */
    gasan_graph_proof_lost(exec);
  }
  return error;
}

/* Nodes of other kinds: `name` is the function for a graph's. */
#define FOLLOWED(name, exec_name, type, what)                                                                                      \
  EXPORT cudaError_t exec_name(cudaGraphExec_t exec, cudaGraphNode_t node, type what) {                                            \
    cudaError_t error = GASAN_REAL(exec_name)(exec, node, what);                                                                   \
    if (error == cudaSuccess)                                                                                                      \
      GASAN_GRAPH_FOLLOW(exec, node, GASAN_REAL(name)(twin.node, what), GASAN_REAL(exec_name)(twin.exec, twin.node, what));        \
    return error;                                                                                                                  \
  }
FOLLOWED(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, const struct cudaHostNodeParams *, params)
FOLLOWED(cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent, cudaEvent_t, event)
FOLLOWED(cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent, cudaEvent_t, event)
FOLLOWED(cudaGraphExternalSemaphoresSignalNodeSetParams, cudaGraphExecExternalSemaphoresSignalNodeSetParams,
         const struct cudaExternalSemaphoreSignalNodeParams *, params)
FOLLOWED(cudaGraphExternalSemaphoresWaitNodeSetParams, cudaGraphExecExternalSemaphoresWaitNodeSetParams,
         const struct cudaExternalSemaphoreWaitNodeParams *, params)

EXPORT cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  cudaError_t error = GASAN_REAL(cudaGraphNodeSetEnabled)(exec, node, enabled);
  if (error == cudaSuccess)
    gasan_graph_proof_switched(exec);
  return error;
}

#define INSTANTIATE(name, last_type)                                                       \
  EXPORT cudaError_t name(cudaGraphExec_t *exec, cudaGraph_t graph, last_type last);       \
  EXPORT cudaError_t name(cudaGraphExec_t *exec, cudaGraph_t graph, last_type last) {      \
    return made(GASAN_REAL(name)(exec, graph, last), exec, graph);                         \
  }
INSTANTIATE(cudaGraphInstantiate, unsigned long long)
INSTANTIATE(cudaGraphInstantiateWithFlags, unsigned long long)
INSTANTIATE(cudaGraphInstantiateWithParams, cudaGraphInstantiateParams *)
INSTANTIATE(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateParams *)

EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  gasan_graph_forget_executable(exec); /* before its handle may be given again */
  gasan_graph_proof_forget(exec);
  return GASAN_REAL(cudaGraphExecDestroy)(exec);
}
