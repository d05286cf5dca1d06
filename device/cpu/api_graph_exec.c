/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls for executable graphs. */
#include <string.h>

#include "device/cpu/api_graph.h"

cudaError_t gasan_cpu_cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams *params) {
  GASAN_GRAPH_ENTER(exec && params && GASAN_VALID(graph, GRAPH));
  cudaError_t error = gasan_cpu_graph_instantiate(graph, params->flags, exec, &params->errNode_out);
  params->result_out = error == cudaSuccess             ? cudaGraphInstantiateSuccess
                       : params->errNode_out            ? cudaGraphInstantiateInvalidStructure
                       : error == cudaErrorNotSupported ? cudaGraphInstantiateNodeOperationNotSupported
                                                        : cudaGraphInstantiateError;
  return gasan_cpu_graph_leave(error);
}

cudaError_t gasan_cpu_cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                    unsigned long long flags) {
  cudaGraphInstantiateParams params = {.flags = flags};
  return gasan_cpu_cudaGraphInstantiateWithParams(exec, graph, &params);
}

cudaError_t gasan_cpu_cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return gasan_cpu_cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t gasan_cpu_cudaGraphExecDestroy(cudaGraphExec_t exec) {
  GASAN_GRAPH_ENTER(GASAN_VALID(exec, GRAPH_EXEC));
  gasan_cpu_graph_exec_destroy(exec);
  return gasan_cpu_graph_leave(cudaSuccess);
}

cudaError_t gasan_cpu_cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
  GASAN_GRAPH_ENTER(flags && GASAN_VALID(exec, GRAPH_EXEC));
  *flags = exec->flags;
  return gasan_cpu_graph_leave(cudaSuccess);
}

cudaError_t gasan_cpu_cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                          cudaGraphExecUpdateResultInfo *info) {
  if (info)
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
  GASAN_GRAPH_ENTER(info && GASAN_VALID(exec, GRAPH_EXEC) && GASAN_VALID(graph, GRAPH) && !graph->owner);
  *info = gasan_cpu_graph_update(exec->graph, graph);
  return gasan_cpu_graph_leave(info->result == cudaGraphExecUpdateSuccess ? cudaSuccess
                                                                          : cudaErrorGraphExecUpdateFailure);
}

/* Returns the node's copy in the executable. NULL: the node cannot be disabled. */
static struct CUgraphNode_st *switchable(cudaGraphExec_t exec, cudaGraphNode_t node) {
  uint32_t types = 1u << cudaGraphNodeTypeKernel | 1u << cudaGraphNodeTypeMemcpy | 1u << cudaGraphNodeTypeMemset;
  if (!GASAN_VALID(exec, GRAPH_EXEC) || !GASAN_VALID(node, GRAPH_NODE) || !(types & 1u << node->work.params.type))
    return NULL;
  return gasan_cpu_graph_copied(exec->graph, node);
}

cudaError_t gasan_cpu_cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  GASAN_GRAPH_ENTER(true);
  struct CUgraphNode_st *copy = switchable(exec, node);
  if (copy)
    copy->enabled = enabled != 0;
  return gasan_cpu_graph_leave(copy ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t gasan_cpu_cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled) {
  GASAN_GRAPH_ENTER(enabled);
  struct CUgraphNode_st *copy = switchable(exec, node);
  if (copy)
    *enabled = copy->enabled;
  return gasan_cpu_graph_leave(copy ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t check(cudaGraphExec_t exec, cudaStream_t stream) {
  GASAN_GRAPH_ENTER(GASAN_VALID(exec, GRAPH_EXEC));
  return gasan_cpu_graph_leave(gasan_cpu_stream_valid(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* Does nothing: a graph needs no upload here. */
cudaError_t gasan_cpu_cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return check(exec, stream);
}

cudaError_t gasan_cpu_cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  cudaError_t error = check(exec, stream);
  return error == cudaSuccess ? gasan_cpu_graph_run(exec) : error;
}
