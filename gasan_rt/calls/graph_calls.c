/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that add kernels to graphs, instantiate graphs, or change executable graphs. graph_copies.c has those of copies
 * and sets. */
#include <string.h>

#include "gasan_rt/calls/calls.h"
#include "gasan_rt/calls/graph_copies.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/graph_kernels.h"
#include "gasan_rt/launch/graph_launch_proof.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static bool describe_kernel(struct gasan_graph_kernel *kernel, const void *function, dim3 grid, dim3 block,
                            const char *api) {
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
  if (describe_kernel(&kernel, params->func, params->gridDim, params->blockDim, api))
    gasan_graph_note_node(node, &kernel);
}

static void note_executable_kernel(cudaGraphExec_t exec, cudaGraphNode_t node,
                                   const struct cudaKernelNodeParams *params, const char *api) {
  struct gasan_rt_device *state = gasan_rt_current();
  struct gasan_graph_kernel kernel;
  if (state && describe_kernel(&kernel, params->func, params->gridDim, params->blockDim, api))
    gasan_graph_note_executable_kernel(state, exec, &kernel, params);
  gasan_graph_launch_proof_changed_kernel(exec, node, params);
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
  gasan_graph_launch_proof_lost(exec);
}

static cudaError_t made(cudaError_t error, cudaGraphExec_t *exec, cudaGraph_t graph) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (error == cudaSuccess && state) {
    gasan_graph_note_executable(state, *exec, graph);
    gasan_graph_launch_proof_made(state, *exec, graph);
  }
  return error;
}

cudaError_t gasan_call_graph_add_kernel_node(struct gasan_call *call, cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *before, size_t count,
                                             const struct cudaKernelNodeParams *params) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphAddKernelNode)(node, graph, before, count, params);
  if (error == cudaSuccess)
    note_kernel(*node, params, call->api);
  return error;
}

cudaError_t gasan_call_graph_add_child_graph_node(struct gasan_call *call, cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *before, size_t count, cudaGraph_t child) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphAddChildGraphNode)(node, graph, before, count, child);
  if (error == cudaSuccess)
    note_child(*node, child);
  return error;
}

/* Returns the parameters of a kernel node, which begin like those of cudaGraphAddKernelNode. NULL: the node is not a
 * kernel node. */
static const struct cudaKernelNodeParams *kernel_of(const struct cudaGraphNodeParams *params) {
  _Static_assert(sizeof(struct cudaKernelNodeParams) == sizeof(struct cudaKernelNodeParamsV2), "the same members");
  return params->type == cudaGraphNodeTypeKernel ? (const void *)&params->kernel : NULL;
}

cudaError_t gasan_call_graph_add_node(struct gasan_call *call, cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *before, const cudaGraphEdgeData *edges, size_t count,
                                      struct cudaGraphNodeParams *params) {
  gasan_rt_kind();
  if (!gasan_graph_node_ok(call->api, params))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaGraph_t child = params && params->type == cudaGraphNodeTypeGraph ? params->graph.graph : NULL;
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphAddNode)(node, graph, before, edges, count, params);
  if (error != cudaSuccess || !params)
    return error;
  if (kernel_of(params))
    note_kernel(*node, kernel_of(params), call->api);
  else if (child)
    note_child(*node, child);
  else if (params->type == cudaGraphNodeTypeConditional)
    gasan_graph_note_bodies(*node, params->conditional.phGraph_out, params->conditional.size);
  return cudaSuccess;
}

cudaError_t gasan_call_graph_clone(struct gasan_call *call, cudaGraph_t *clone, cudaGraph_t graph) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphClone)(clone, graph);
  if (error == cudaSuccess)
    gasan_graph_note_copy(*clone, graph);
  return error;
}

cudaError_t gasan_call_graph_kernel_node_set_params(struct gasan_call *call, cudaGraphNode_t node,
                                                    const struct cudaKernelNodeParams *params) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphKernelNodeSetParams)(node, params);
  if (error == cudaSuccess)
    note_kernel(node, params, call->api);
  return error;
}

cudaError_t gasan_call_graph_node_set_params(struct gasan_call *call, cudaGraphNode_t node,
                                             struct cudaGraphNodeParams *params) {
  gasan_rt_kind();
  if (!gasan_graph_node_ok(call->api, params))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphNodeSetParams)(node, params);
  if (error == cudaSuccess && kernel_of(params))
    note_kernel(node, kernel_of(params), call->api);
  return error;
}

cudaError_t gasan_call_graph_exec_kernel_node_set_params(struct gasan_call *call, cudaGraphExec_t exec,
                                                         cudaGraphNode_t node,
                                                         const struct cudaKernelNodeParams *params) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecKernelNodeSetParams)(exec, node, params);
  if (error == cudaSuccess)
    note_executable_kernel(exec, node, params, call->api);
  return error;
}

cudaError_t gasan_call_graph_exec_node_set_params(struct gasan_call *call, cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  struct cudaGraphNodeParams *params) {
  gasan_rt_kind();
  if (!gasan_graph_node_ok(call->api, params))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecNodeSetParams)(exec, node, params);
  if (error != cudaSuccess)
    return error;
  if (kernel_of(params))
    note_executable_kernel(exec, node, kernel_of(params), call->api);
  else if (params->type == cudaGraphNodeTypeGraph)
    changed_child(exec, params->graph.graph);
  else
    GASAN_GRAPH_FOLLOW(exec, node, GASAN_REAL(cudaGraphNodeSetParams)(change.node, params),
                       GASAN_CALL_REAL(call, cudaGraphExecNodeSetParams)(change.exec, change.node, params));
  return cudaSuccess;
}

cudaError_t gasan_call_graph_exec_child_graph_node_set_params(struct gasan_call *call, cudaGraphExec_t exec,
                                                              cudaGraphNode_t node, cudaGraph_t child) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecChildGraphNodeSetParams)(exec, node, child);
  if (error == cudaSuccess)
    changed_child(exec, child);
  return error;
}

cudaError_t gasan_call_graph_exec_update(struct gasan_call *call, cudaGraphExec_t exec, cudaGraph_t graph,
                                         cudaGraphExecUpdateResultInfo *info) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecUpdate)(exec, graph, info);
  if (error == cudaSuccess) {
    note_executable(exec, graph);
    gasan_graph_launch_proof_updated(exec, graph);
  } else {
    /* The executable may have changed in part. */
    gasan_graph_launch_proof_lost(exec);
  }
  return error;
}

/* Nodes of other types. */
cudaError_t gasan_call_graph_exec_host_node_set_params(struct gasan_call *call, cudaGraphExec_t exec,
                                                       cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecHostNodeSetParams)(exec, node, params);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(exec, node, GASAN_REAL(cudaGraphHostNodeSetParams)(change.node, params),
                       GASAN_CALL_REAL(call, cudaGraphExecHostNodeSetParams)(change.exec, change.node, params));
  return error;
}

cudaError_t gasan_call_graph_exec_event_record_node_set_event(struct gasan_call *call, cudaGraphExec_t exec,
                                                              cudaGraphNode_t node, cudaEvent_t event) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecEventRecordNodeSetEvent)(exec, node, event);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(exec, node, GASAN_REAL(cudaGraphEventRecordNodeSetEvent)(change.node, event),
                       GASAN_CALL_REAL(call, cudaGraphExecEventRecordNodeSetEvent)(change.exec, change.node, event));
  return error;
}

cudaError_t gasan_call_graph_exec_event_wait_node_set_event(struct gasan_call *call, cudaGraphExec_t exec,
                                                            cudaGraphNode_t node, cudaEvent_t event) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecEventWaitNodeSetEvent)(exec, node, event);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(exec, node, GASAN_REAL(cudaGraphEventWaitNodeSetEvent)(change.node, event),
                       GASAN_CALL_REAL(call, cudaGraphExecEventWaitNodeSetEvent)(change.exec, change.node, event));
  return error;
}

cudaError_t gasan_call_graph_exec_external_semaphores_signal_node_set_params(
    struct gasan_call *call, cudaGraphExec_t exec, cudaGraphNode_t node,
    const struct cudaExternalSemaphoreSignalNodeParams *params) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecExternalSemaphoresSignalNodeSetParams)(exec, node, params);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(
        exec, node, GASAN_REAL(cudaGraphExternalSemaphoresSignalNodeSetParams)(change.node, params),
        GASAN_CALL_REAL(call, cudaGraphExecExternalSemaphoresSignalNodeSetParams)(change.exec, change.node, params));
  return error;
}

cudaError_t gasan_call_graph_exec_external_semaphores_wait_node_set_params(
    struct gasan_call *call, cudaGraphExec_t exec, cudaGraphNode_t node,
    const struct cudaExternalSemaphoreWaitNodeParams *params) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecExternalSemaphoresWaitNodeSetParams)(exec, node, params);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(
        exec, node, GASAN_REAL(cudaGraphExternalSemaphoresWaitNodeSetParams)(change.node, params),
        GASAN_CALL_REAL(call, cudaGraphExecExternalSemaphoresWaitNodeSetParams)(change.exec, change.node, params));
  return error;
}

cudaError_t gasan_call_graph_node_set_enabled(struct gasan_call *call, cudaGraphExec_t exec, cudaGraphNode_t node,
                                              unsigned enabled) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphNodeSetEnabled)(exec, node, enabled);
  if (error == cudaSuccess)
    gasan_graph_launch_proof_switched(exec);
  return error;
}

cudaError_t gasan_call_graph_instantiate(struct gasan_call *call, cudaGraphExec_t *exec, cudaGraph_t graph,
                                         unsigned long long flags) {
  return made(GASAN_CALL_REAL(call, cudaGraphInstantiate)(exec, graph, flags), exec, graph);
}

cudaError_t gasan_call_graph_instantiate_with_params(struct gasan_call *call, cudaGraphExec_t *exec, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams *params) {
  return made(GASAN_CALL_REAL(call, cudaGraphInstantiateWithParams)(exec, graph, params), exec, graph);
}

cudaError_t gasan_call_graph_exec_destroy(struct gasan_call *call, cudaGraphExec_t exec) {
  /* Forget the executable before CUDA may reuse the handle. */
  gasan_graph_forget_executable(exec);
  gasan_graph_launch_proof_forget(exec);
  return GASAN_CALL_REAL(call, cudaGraphExecDestroy)(exec);
}
