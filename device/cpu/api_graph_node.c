/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls that add, read and change nodes, in graphs and in executable graphs. */
#include <stdlib.h>
#include <string.h>

#include "device/cpu/api_graph.h"
#include "device/cpu/grow.h"

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                       const cudaGraphEdgeData *data, size_t count, struct cudaGraphNodeParams *params) {
  struct gasan_cpu_edges edges = {0};
  struct gasan_cpu_work work;
  for (size_t i = 0; i < count; i++) {
    if (!GASAN_VALID(before[i], GRAPH_NODE) || !gasan_cpu_grow(&edges.items, i, &edges.room, sizeof *edges.items)) {
      free(edges.items);
      return cudaErrorInvalidValue;
    }
    edges.items[i] = (struct gasan_cpu_edge){before[i], data ? data[i] : (cudaGraphEdgeData){0}};
  }
  cudaError_t error = gasan_cpu_work_make(&work, graph, params);
  if (error == cudaSuccess) {
    struct cudaGraphNodeParams taken = work.params;
    error = gasan_cpu_graph_add(graph, edges.items, count, &work, node);
    if (error == cudaSuccess)
      *params = taken; /* with the addresses and graphs that were made */
    else
      gasan_cpu_work_drop(&work);
  }
  free(edges.items);
  return error;
}

cudaError_t gasan_cpu_cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       const cudaGraphEdgeData *data, size_t count,
                                       struct cudaGraphNodeParams *params) {
  GASAN_GRAPH_ENTER(node && params && GASAN_VALID(graph, GRAPH) && (before || !count));
  void **arguments = params->kernel.kernelParams;
  cudaError_t error = add(node, graph, before, data, count, params);
  if (params->type == cudaGraphNodeTypeKernel) /* the program's arguments, which it may use again */
    params->kernel.kernelParams = arguments;
  return gasan_cpu_graph_leave(error);
}

/* Replaces the node's work. A kernel node keeps its attributes. */
static void replace(struct CUgraphNode_st *node, struct gasan_cpu_work *work) {
  work->attributes = node->work.attributes;
  node->work.attributes = NULL;
  gasan_cpu_work_drop(&node->work);
  node->work = *work;
}

static bool may_change(const struct CUgraphNode_st *node, const struct cudaGraphNodeParams *params) {
  return node->work.params.type == params->type && !node->work.graph_count && !node->work.memory &&
         params->type != cudaGraphNodeTypeMemFree;
}

cudaError_t gasan_cpu_cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
  GASAN_GRAPH_ENTER(params && GASAN_VALID(node, GRAPH_NODE) && may_change(node, params));
  struct gasan_cpu_work work;
  cudaError_t error = gasan_cpu_work_make(&work, node->graph, params);
  if (error == cudaSuccess)
    replace(node, &work);
  return gasan_cpu_graph_leave(error);
}

static bool is_plane(const struct cudaMemcpy3DParms *copy) {
  return copy->extent.height > 1 || copy->extent.depth > 1;
}

static cudaError_t set_in_executable(struct CUgraphNode_st *node, const struct cudaGraphNodeParams *params) {
  struct gasan_cpu_work work;
  if (node->work.params.type == cudaGraphNodeTypeGraph && params->type == cudaGraphNodeTypeGraph) {
    if (!GASAN_VALID(params->graph.graph, GRAPH))
      return cudaErrorInvalidValue;
    return gasan_cpu_graph_update(node->work.graphs[0], params->graph.graph).result == cudaGraphExecUpdateSuccess
               ? cudaSuccess
               : cudaErrorInvalidValue;
  }
  if (!may_change(node, params) ||
      (params->type == cudaGraphNodeTypeMemcpy &&
       (is_plane(&params->memcpy.copyParams) || is_plane(&node->work.params.memcpy.copyParams))))
    return cudaErrorInvalidValue;
  cudaError_t error = gasan_cpu_work_make(&work, node->graph, params);
  if (error != cudaSuccess)
    return error;
  work.attributes = node->work.attributes; /* only parameters are compared */
  bool allowed = gasan_cpu_work_may_become(&node->work, &work) == cudaGraphExecUpdateSuccess;
  work.attributes = NULL;
  if (allowed)
    replace(node, &work);
  else
    gasan_cpu_work_drop(&work);
  return allowed ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t gasan_cpu_cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 struct cudaGraphNodeParams *params) {
  GASAN_GRAPH_ENTER(params && GASAN_VALID(exec, GRAPH_EXEC) && GASAN_VALID(node, GRAPH_NODE));
  struct CUgraphNode_st *copy = gasan_cpu_graph_copied(exec->graph, node);
  return gasan_cpu_graph_leave(copy ? set_in_executable(copy, params) : cudaErrorInvalidValue);
}

/* Defines three calls for a node type: add, set in the graph, set in an executable. `make` fills in `params` from the
 * call's other arguments. */
#define BEGIN_NODE(make)                                                                                               \
  struct cudaGraphNodeParams params = {0};                                                                             \
  cudaError_t error = make;                                                                                            \
  if (error != cudaSuccess)                                                                                            \
  return gasan_cpu_result(error)
#define ADD_NODE(name, make, ...)                                                                                      \
  cudaError_t gasan_cpu_##name(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t number, \
                               __VA_ARGS__) {                                                                          \
    BEGIN_NODE(make);                                                                                                  \
    return gasan_cpu_cudaGraphAddNode(node, graph, before, NULL, number, &params);                                     \
  }
#define SET_NODE(name, make, ...)                                                                                      \
  cudaError_t gasan_cpu_##name(cudaGraphNode_t node, __VA_ARGS__) {                                                    \
    BEGIN_NODE(make);                                                                                                  \
    return gasan_cpu_cudaGraphNodeSetParams(node, &params);                                                            \
  }
#define SET_EXEC_NODE(name, make, ...)                                                                                 \
  cudaError_t gasan_cpu_##name(cudaGraphExec_t exec, cudaGraphNode_t node, __VA_ARGS__) {                              \
    BEGIN_NODE(make);                                                                                                  \
    return gasan_cpu_cudaGraphExecNodeSetParams(exec, node, &params);                                                  \
  }
#define NODE(add_name, set_name, set_exec_name, make, ...)                                                             \
  ADD_NODE(add_name, make, __VA_ARGS__)                                                                                \
  SET_NODE(set_name, make, __VA_ARGS__)                                                                                \
  SET_EXEC_NODE(set_exec_name, make, __VA_ARGS__)

#define STRUCT_PARAMS(type_name, member)                                                                               \
  (given ? (params.type = cudaGraphNodeType##type_name, memcpy(&params.member, given, sizeof *given), cudaSuccess)     \
         : cudaErrorInvalidValue)
_Static_assert(sizeof(struct cudaKernelNodeParams) == sizeof(struct cudaKernelNodeParamsV2), "the same members");
_Static_assert(sizeof(struct cudaMemsetParams) == sizeof(struct cudaMemsetParamsV2), "the same members");
_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(struct cudaHostNodeParamsV2), "the same members");
_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(struct cudaMemAllocNodeParamsV2), "the same members");

NODE(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
     STRUCT_PARAMS(Kernel, kernel), const struct cudaKernelNodeParams *given)
NODE(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
     STRUCT_PARAMS(Memset, memset), const struct cudaMemsetParams *given)
NODE(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, STRUCT_PARAMS(Host, host),
     const struct cudaHostNodeParams *given)
NODE(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
     STRUCT_PARAMS(Memcpy, memcpy.copyParams), const struct cudaMemcpy3DParms *given)
NODE(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
     (params = gasan_cpu_work_copy_1d(to, from, size, kind), cudaSuccess), void *to, const void *from, size_t size,
     enum cudaMemcpyKind kind)
NODE(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphExecMemcpyNodeSetParamsToSymbol,
     gasan_cpu_work_to_symbol(&params, symbol, from, size, offset, kind), const void *symbol, const void *from,
     size_t size, size_t offset, enum cudaMemcpyKind kind)
NODE(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
     cudaGraphExecMemcpyNodeSetParamsFromSymbol, gasan_cpu_work_from_symbol(&params, to, symbol, size, offset, kind),
     void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind)
NODE(cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
     (params.type = cudaGraphNodeTypeEventRecord, params.eventRecord.event = event, cudaSuccess), cudaEvent_t event)
NODE(cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
     (params.type = cudaGraphNodeTypeWaitEvent, params.eventWait.event = event, cudaSuccess), cudaEvent_t event)
#define CHILD (params.type = cudaGraphNodeTypeGraph, params.graph.graph = child, cudaSuccess)
ADD_NODE(cudaGraphAddChildGraphNode, CHILD, cudaGraph_t child)
SET_EXEC_NODE(cudaGraphExecChildGraphNodeSetParams, CHILD, cudaGraph_t child)
ADD_NODE(cudaGraphAddMemFreeNode, (params.type = cudaGraphNodeTypeMemFree, params.free.dptr = pointer, cudaSuccess),
         void *pointer)

cudaError_t gasan_cpu_cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                            size_t number) {
  struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeEmpty};
  return gasan_cpu_cudaGraphAddNode(node, graph, before, NULL, number, &params);
}

cudaError_t gasan_cpu_cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                               size_t number, struct cudaMemAllocNodeParams *given) {
  BEGIN_NODE(STRUCT_PARAMS(MemAlloc, alloc));
  error = gasan_cpu_cudaGraphAddNode(node, graph, before, NULL, number, &params);
  if (error == cudaSuccess)
    given->dptr = params.alloc.dptr;
  return error;
}

#define GET_NODE(name, type_name, member, result_type)                                                                 \
  cudaError_t gasan_cpu_##name(cudaGraphNode_t node, result_type *result) {                                            \
    GASAN_GRAPH_ENTER(result && GASAN_VALID(node, GRAPH_NODE) &&                                                       \
                      node->work.params.type == cudaGraphNodeType##type_name);                                         \
    memcpy(result, &node->work.params.member, sizeof(result_type));                                                    \
    return gasan_cpu_graph_leave(cudaSuccess);                                                                         \
  }
GET_NODE(cudaGraphKernelNodeGetParams, Kernel, kernel, struct cudaKernelNodeParams)
GET_NODE(cudaGraphMemcpyNodeGetParams, Memcpy, memcpy.copyParams, struct cudaMemcpy3DParms)
GET_NODE(cudaGraphMemsetNodeGetParams, Memset, memset, struct cudaMemsetParams)
GET_NODE(cudaGraphHostNodeGetParams, Host, host, struct cudaHostNodeParams)
GET_NODE(cudaGraphChildGraphNodeGetGraph, Graph, graph.graph, cudaGraph_t)
GET_NODE(cudaGraphEventRecordNodeGetEvent, EventRecord, eventRecord.event, cudaEvent_t)
GET_NODE(cudaGraphEventWaitNodeGetEvent, WaitEvent, eventWait.event, cudaEvent_t)
GET_NODE(cudaGraphMemAllocNodeGetParams, MemAlloc, alloc, struct cudaMemAllocNodeParams)

cudaError_t gasan_cpu_cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *result) {
  GASAN_GRAPH_ENTER(result && GASAN_VALID(node, GRAPH_NODE) && node->work.params.type == cudaGraphNodeTypeMemFree);
  memcpy(result, &node->work.params.free.dptr, sizeof(void *));
  return gasan_cpu_graph_leave(cudaSuccess);
}

static bool is_kernel(cudaGraphNode_t node) {
  return GASAN_VALID(node, GRAPH_NODE) && node->work.params.type == cudaGraphNodeTypeKernel;
}

cudaError_t gasan_cpu_cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                                      const cudaLaunchAttributeValue *value) {
  GASAN_GRAPH_ENTER(value && is_kernel(node));
  return gasan_cpu_graph_leave(gasan_cpu_work_attribute(&node->work, id, value));
}

cudaError_t gasan_cpu_cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                                      cudaLaunchAttributeValue *value) {
  GASAN_GRAPH_ENTER(value && is_kernel(node) && (unsigned)id < GASAN_CPU_ATTRIBUTES);
  memset(value, 0, sizeof *value);
  if (node->work.attributes)
    *value = node->work.attributes->values[id];
  return gasan_cpu_graph_leave(cudaSuccess);
}

cudaError_t gasan_cpu_cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  GASAN_GRAPH_ENTER(is_kernel(to) && is_kernel(from));
  cudaError_t error = cudaSuccess;
  for (unsigned id = 0; from->work.attributes && id < GASAN_CPU_ATTRIBUTES && error == cudaSuccess; id++)
    if (from->work.attributes->set & 1u << id)
      error = gasan_cpu_work_attribute(&to->work, (cudaLaunchAttributeID)id, &from->work.attributes->values[id]);
  return gasan_cpu_graph_leave(error);
}
