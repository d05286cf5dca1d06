/* Graph nodes that copy and set: their ranges are checked when a node gets them. What a capture makes of cudaMemcpyAsync and
 * the like was checked there. */
#include "gasan_rt/calls/export.h"
#include "gasan_rt/calls/graph_copies.h"

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/graph_launch_proof.h"
#include "gasan_rt/memory/range_check.h"

static bool set_ok(const char *api, const struct cudaMemsetParams *set) {
  return !set || gasan_rows_ok(api, GASAN_WRITES, set->dst, set->pitch, set->width * set->elementSize, set->height);
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
  return gasan_rows_ok(api, GASAN_WRITES, set->dst, set->pitch, set->width * set->elementSize, set->height);
}

/* A function, its parameters, whether its ranges are right, and its arguments. */
#define CHECKED(name, parameters, ok, arguments)   \
  EXPORT cudaError_t name parameters {             \
    static const char api[] = #name;               \
    gasan_rt_kind();                               \
    if (!(ok))                                     \
      return gasan_set_error(cudaErrorInvalidValue); \
    return GASAN_REAL(name) arguments;             \
  }

/* The same for a node of an executable graph, `name` being that of the function for a graph's. */
#define CHECKED_IN_EXEC(name, exec_name, parameters, ok, arguments)                                                                \
  EXPORT cudaError_t exec_name(cudaGraphExec_t exec, cudaGraphNode_t node, parameters) {                                           \
    static const char api[] = #exec_name;                                                                                          \
    gasan_rt_kind();                                                                                                               \
    if (!(ok))                                                                                                                     \
      return gasan_set_error(cudaErrorInvalidValue);                                                                               \
    cudaError_t error = GASAN_REAL(exec_name)(exec, node, arguments);                                                              \
    if (error == cudaSuccess)                                                                                                      \
      GASAN_GRAPH_FOLLOW(exec, node, GASAN_REAL(name)(twin.node, arguments), GASAN_REAL(exec_name)(twin.exec, twin.node, arguments)); \
    return error;                                                                                                                  \
  }
#define LIST(...) __VA_ARGS__

/* Each kind of copy has a function that adds a node, one that changes it, and one that changes it in an executable graph. */
#define COPY_NODE(suffix, parameters, ok, arguments)                                                                    \
  CHECKED(cudaGraphAddMemcpyNode##suffix,                                                                               \
          (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, parameters), ok,     \
          (node, graph, before, count, arguments))                                                                      \
  CHECKED(cudaGraphMemcpyNodeSetParams##suffix, (cudaGraphNode_t node, parameters), ok, (node, arguments))              \
  CHECKED_IN_EXEC(cudaGraphMemcpyNodeSetParams##suffix, cudaGraphExecMemcpyNodeSetParams##suffix, LIST(parameters), ok, \
                  LIST(arguments))

COPY_NODE(, const struct cudaMemcpy3DParms *copy, copy_ok(api, copy), copy)
COPY_NODE(1D, LIST(void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
          gasan_range_ok(api, GASAN_READS, from, size) && gasan_range_ok(api, GASAN_WRITES, to, size) &&
              gasan_apart(api, to, from, size),
          LIST(to, from, size, kind))
COPY_NODE(ToSymbol, LIST(const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind),
          gasan_range_ok(api, GASAN_READS, from, size), LIST(symbol, from, size, offset, kind))
COPY_NODE(FromSymbol, LIST(void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind),
          gasan_range_ok(api, GASAN_WRITES, to, size), LIST(to, symbol, size, offset, kind))

CHECKED(cudaGraphAddMemsetNode,
        (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
         const struct cudaMemsetParams *set),
        set_ok(api, set), (node, graph, before, count, set))
CHECKED(cudaGraphMemsetNodeSetParams, (cudaGraphNode_t node, const struct cudaMemsetParams *set),
        set_ok(api, set), (node, set))
CHECKED_IN_EXEC(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, const struct cudaMemsetParams *set, set_ok(api, set), set)
