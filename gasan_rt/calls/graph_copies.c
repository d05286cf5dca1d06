/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Graph nodes that copy and set. Their ranges are checked when the program sets a node's parameters. Captured calls,
 * such as cudaMemcpyAsync, are checked when they are captured. */
#include "gasan_rt/calls/graph_copies.h"
#include "gasan_rt/calls/calls.h"

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/graph_launch_proof.h"
#include "gasan_rt/memory/range_check.h"

static bool set_ok(const char *api, const struct cudaMemsetParams *set) {
  return !set ||
         gasan_rows_ok(api, GASAN_ACCESS_WRITE, set->dst, set->pitch, set->width * set->elementSize, set->height);
}

static bool copy_ok(const char *api, const struct cudaMemcpy3DParms *copy) {
  return !copy || gasan_copy3d_ok(api, copy);
}

bool gasan_graph_node_ok(const char *api, const struct cudaGraphNodeParams *params) {
  if (!params)
    return true;
  if (params->type == cudaGraphNodeTypeMemcpy)
    return copy_ok(api, &params->memcpy.copyParams);
  if (params->type != cudaGraphNodeTypeMemset)
    return true;
  const struct cudaMemsetParamsV2 *set = &params->memset;
  return gasan_rows_ok(api, GASAN_ACCESS_WRITE, set->dst, set->pitch, set->width * set->elementSize, set->height);
}

static bool linear_ok(const char *api, void *to, const void *from, size_t size) {
  return gasan_range_ok(api, GASAN_ACCESS_READ, from, size) && gasan_range_ok(api, GASAN_ACCESS_WRITE, to, size) &&
         gasan_apart(api, to, from, size);
}

cudaError_t gasan_call_graph_add_memcpy_node(struct gasan_call *call, cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *before, size_t count,
                                             const struct cudaMemcpy3DParms *copy) {
  gasan_rt_kind();
  if (!copy_ok(call->api, copy))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphAddMemcpyNode)(node, graph, before, count, copy);
}

cudaError_t gasan_call_graph_memcpy_node_set_params(struct gasan_call *call, cudaGraphNode_t node,
                                                    const struct cudaMemcpy3DParms *copy) {
  gasan_rt_kind();
  if (!copy_ok(call->api, copy))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphMemcpyNodeSetParams)(node, copy);
}

cudaError_t gasan_call_graph_exec_memcpy_node_set_params(struct gasan_call *call, cudaGraphExec_t exec,
                                                         cudaGraphNode_t node, const struct cudaMemcpy3DParms *copy) {
  gasan_rt_kind();
  if (!copy_ok(call->api, copy))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecMemcpyNodeSetParams)(exec, node, copy);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(exec, node, GASAN_REAL(cudaGraphMemcpyNodeSetParams)(change.node, copy),
                       GASAN_CALL_REAL(call, cudaGraphExecMemcpyNodeSetParams)(change.exec, change.node, copy));
  return error;
}

cudaError_t gasan_call_graph_add_memcpy_node_1d(struct gasan_call *call, cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *before, size_t count, void *to, const void *from,
                                                size_t size, enum cudaMemcpyKind kind) {
  gasan_rt_kind();
  if (!linear_ok(call->api, to, from, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphAddMemcpyNode1D)(node, graph, before, count, to, from, size, kind);
}

cudaError_t gasan_call_graph_memcpy_node_set_params_1d(struct gasan_call *call, cudaGraphNode_t node, void *to,
                                                       const void *from, size_t size, enum cudaMemcpyKind kind) {
  gasan_rt_kind();
  if (!linear_ok(call->api, to, from, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphMemcpyNodeSetParams1D)(node, to, from, size, kind);
}

cudaError_t gasan_call_graph_exec_memcpy_node_set_params_1d(struct gasan_call *call, cudaGraphExec_t exec,
                                                            cudaGraphNode_t node, void *to, const void *from,
                                                            size_t size, enum cudaMemcpyKind kind) {
  gasan_rt_kind();
  if (!linear_ok(call->api, to, from, size))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecMemcpyNodeSetParams1D)(exec, node, to, from, size, kind);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(
        exec, node, GASAN_REAL(cudaGraphMemcpyNodeSetParams1D)(change.node, to, from, size, kind),
        GASAN_CALL_REAL(call, cudaGraphExecMemcpyNodeSetParams1D)(change.exec, change.node, to, from, size, kind));
  return error;
}

cudaError_t gasan_call_graph_add_memcpy_node_to_symbol(struct gasan_call *call, cudaGraphNode_t *node,
                                                       cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                                       const void *symbol, const void *from, size_t size, size_t offset,
                                                       enum cudaMemcpyKind kind) {
  gasan_rt_kind();
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, from, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphAddMemcpyNodeToSymbol)(node, graph, before, count, symbol, from, size, offset,
                                                               kind);
}

cudaError_t gasan_call_graph_memcpy_node_set_params_to_symbol(struct gasan_call *call, cudaGraphNode_t node,
                                                              const void *symbol, const void *from, size_t size,
                                                              size_t offset, enum cudaMemcpyKind kind) {
  gasan_rt_kind();
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, from, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphMemcpyNodeSetParamsToSymbol)(node, symbol, from, size, offset, kind);
}

cudaError_t gasan_call_graph_exec_memcpy_node_set_params_to_symbol(struct gasan_call *call, cudaGraphExec_t exec,
                                                                   cudaGraphNode_t node, const void *symbol,
                                                                   const void *from, size_t size, size_t offset,
                                                                   enum cudaMemcpyKind kind) {
  gasan_rt_kind();
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, from, size))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error =
      GASAN_CALL_REAL(call, cudaGraphExecMemcpyNodeSetParamsToSymbol)(exec, node, symbol, from, size, offset, kind);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(exec, node,
                       GASAN_REAL(cudaGraphMemcpyNodeSetParamsToSymbol)(change.node, symbol, from, size, offset, kind),
                       GASAN_CALL_REAL(call, cudaGraphExecMemcpyNodeSetParamsToSymbol)(change.exec, change.node, symbol,
                                                                                       from, size, offset, kind));
  return error;
}

cudaError_t gasan_call_graph_add_memcpy_node_from_symbol(struct gasan_call *call, cudaGraphNode_t *node,
                                                         cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                                         void *to, const void *symbol, size_t size, size_t offset,
                                                         enum cudaMemcpyKind kind) {
  gasan_rt_kind();
  if (!gasan_range_ok(call->api, GASAN_ACCESS_WRITE, to, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphAddMemcpyNodeFromSymbol)(node, graph, before, count, to, symbol, size, offset,
                                                                 kind);
}

cudaError_t gasan_call_graph_memcpy_node_set_params_from_symbol(struct gasan_call *call, cudaGraphNode_t node, void *to,
                                                                const void *symbol, size_t size, size_t offset,
                                                                enum cudaMemcpyKind kind) {
  gasan_rt_kind();
  if (!gasan_range_ok(call->api, GASAN_ACCESS_WRITE, to, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphMemcpyNodeSetParamsFromSymbol)(node, to, symbol, size, offset, kind);
}

cudaError_t gasan_call_graph_exec_memcpy_node_set_params_from_symbol(struct gasan_call *call, cudaGraphExec_t exec,
                                                                     cudaGraphNode_t node, void *to, const void *symbol,
                                                                     size_t size, size_t offset,
                                                                     enum cudaMemcpyKind kind) {
  gasan_rt_kind();
  if (!gasan_range_ok(call->api, GASAN_ACCESS_WRITE, to, size))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error =
      GASAN_CALL_REAL(call, cudaGraphExecMemcpyNodeSetParamsFromSymbol)(exec, node, to, symbol, size, offset, kind);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(exec, node,
                       GASAN_REAL(cudaGraphMemcpyNodeSetParamsFromSymbol)(change.node, to, symbol, size, offset, kind),
                       GASAN_CALL_REAL(call, cudaGraphExecMemcpyNodeSetParamsFromSymbol)(change.exec, change.node, to,
                                                                                         symbol, size, offset, kind));
  return error;
}

cudaError_t gasan_call_graph_add_memset_node(struct gasan_call *call, cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *before, size_t count,
                                             const struct cudaMemsetParams *set) {
  gasan_rt_kind();
  if (!set_ok(call->api, set))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphAddMemsetNode)(node, graph, before, count, set);
}

cudaError_t gasan_call_graph_memset_node_set_params(struct gasan_call *call, cudaGraphNode_t node,
                                                    const struct cudaMemsetParams *set) {
  gasan_rt_kind();
  if (!set_ok(call->api, set))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaGraphMemsetNodeSetParams)(node, set);
}

cudaError_t gasan_call_graph_exec_memset_node_set_params(struct gasan_call *call, cudaGraphExec_t exec,
                                                         cudaGraphNode_t node, const struct cudaMemsetParams *set) {
  gasan_rt_kind();
  if (!set_ok(call->api, set))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphExecMemsetNodeSetParams)(exec, node, set);
  if (error == cudaSuccess)
    GASAN_GRAPH_FOLLOW(exec, node, GASAN_REAL(cudaGraphMemsetNodeSetParams)(change.node, set),
                       GASAN_CALL_REAL(call, cudaGraphExecMemsetNodeSetParams)(change.exec, change.node, set));
  return error;
}
