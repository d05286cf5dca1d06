/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls that make, query, copy and destroy graphs and their edges. */
#include <stdio.h>
#include <stdlib.h>

#include "device/cpu/api_graph.h"
#include "device/cpu/grow.h"

cudaError_t gasan_cpu_cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  GASAN_GRAPH_ENTER(graph && !flags);
  *graph = gasan_cpu_graph_new();
  return gasan_cpu_graph_leave(*graph ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t gasan_cpu_cudaGraphDestroy(cudaGraph_t graph) {
  GASAN_GRAPH_ENTER(GASAN_VALID(graph, GRAPH) && !graph->owner && !graph->captured_into);
  gasan_cpu_graph_drop(graph);
  return gasan_cpu_graph_leave(cudaSuccess);
}

cudaError_t gasan_cpu_cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  GASAN_GRAPH_ENTER(clone && GASAN_VALID(graph, GRAPH));
  if (gasan_cpu_graph_has(graph, GASAN_CPU_GRAPH_MEMORY_NODES | 1u << cudaGraphNodeTypeConditional))
    return gasan_cpu_graph_leave(cudaErrorNotSupported);
  *clone = gasan_cpu_graph_copy(graph);
  return gasan_cpu_graph_leave(*clone ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t gasan_cpu_cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone) {
  GASAN_GRAPH_ENTER(node && GASAN_VALID(original, GRAPH_NODE) && GASAN_VALID(clone, GRAPH));
  *node = gasan_cpu_graph_copied(clone, original);
  return gasan_cpu_graph_leave(*node ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t gasan_cpu_cudaGraphDestroyNode(cudaGraphNode_t node) {
  GASAN_GRAPH_ENTER(GASAN_VALID(node, GRAPH_NODE) && !node->graph->captured_into);
  if (gasan_cpu_graph_has(node->graph, GASAN_CPU_GRAPH_MEMORY_NODES))
    return gasan_cpu_graph_leave(cudaErrorNotSupported);
  gasan_cpu_graph_remove(node);
  return gasan_cpu_graph_leave(cudaSuccess);
}

cudaError_t gasan_cpu_cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  GASAN_GRAPH_ENTER(type && GASAN_VALID(node, GRAPH_NODE));
  *type = node->work.params.type;
  return gasan_cpu_graph_leave(cudaSuccess);
}

/* The result of a query for nodes or edges: without arrays, their number; with arrays, as many as fit, and NULL in the
 * remaining elements. */
struct answer {
  cudaGraphNode_t *nodes, *others;
  cudaGraphEdgeData *data;
  size_t room, count;
  bool lost; /* an edge has data, and there is no array for data */
};

static void answer_add(struct answer *answer, cudaGraphNode_t node, cudaGraphNode_t other, cudaGraphEdgeData data) {
  size_t i = answer->count++;
  if (i >= answer->room)
    return;
  if (answer->nodes)
    answer->nodes[i] = node;
  if (answer->others)
    answer->others[i] = other;
  if (answer->data)
    answer->data[i] = data;
  else if (answer->nodes && (data.from_port || data.to_port || data.type))
    answer->lost = true;
}

static cudaError_t answer_end(struct answer *answer, size_t *count) {
  static const cudaGraphEdgeData none;
  size_t total = answer->count;
  if (answer->nodes)
    for (; answer->count < answer->room;)
      answer_add(answer, NULL, NULL, none);
  *count = answer->nodes && answer->room < total ? answer->room : total;
  return gasan_cpu_graph_leave(answer->lost ? cudaErrorLossyQuery : cudaSuccess);
}

static const cudaGraphEdgeData plain;

cudaError_t gasan_cpu_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  GASAN_GRAPH_ENTER(count && GASAN_VALID(graph, GRAPH));
  struct answer answer = {.nodes = nodes, .room = *count};
  for (size_t i = 0; i < graph->count; i++)
    answer_add(&answer, graph->nodes[i], NULL, plain);
  return answer_end(&answer, count);
}

cudaError_t gasan_cpu_cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  GASAN_GRAPH_ENTER(count && GASAN_VALID(graph, GRAPH));
  struct answer answer = {.nodes = nodes, .room = *count};
  for (size_t i = 0; i < graph->count; i++)
    if (!graph->nodes[i]->dependencies.count)
      answer_add(&answer, graph->nodes[i], NULL, plain);
  return answer_end(&answer, count);
}

cudaError_t gasan_cpu_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                        cudaGraphEdgeData *data, size_t *count) {
  GASAN_GRAPH_ENTER(count && GASAN_VALID(graph, GRAPH) && !from == !to && (from || !data));
  struct answer answer = {.nodes = from, .others = to, .data = data, .room = *count};
  for (size_t i = 0; i < graph->count; i++) {
    const struct gasan_cpu_edges *edges = &graph->nodes[i]->dependencies;
    for (size_t e = 0; e < edges->count; e++)
      answer_add(&answer, edges->items[e].node, graph->nodes[i], edges->items[e].data);
  }
  return answer_end(&answer, count);
}

cudaError_t gasan_cpu_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                                   cudaGraphEdgeData *data, size_t *count) {
  GASAN_GRAPH_ENTER(count && GASAN_VALID(node, GRAPH_NODE) && (dependencies || !data));
  struct answer answer = {.nodes = dependencies, .data = data, .room = *count};
  for (size_t e = 0; e < node->dependencies.count; e++)
    answer_add(&answer, node->dependencies.items[e].node, NULL, node->dependencies.items[e].data);
  return answer_end(&answer, count);
}

cudaError_t gasan_cpu_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                                                     cudaGraphEdgeData *data, size_t *count) {
  GASAN_GRAPH_ENTER(count && GASAN_VALID(node, GRAPH_NODE) && (dependents || !data));
  struct answer answer = {.nodes = dependents, .data = data, .room = *count};
  for (size_t i = 0; i < node->graph->count; i++) {
    const struct gasan_cpu_edges *edges = &node->graph->nodes[i]->dependencies;
    for (size_t e = 0; e < edges->count; e++)
      if (edges->items[e].node == node)
        answer_add(&answer, node->graph->nodes[i], NULL, edges->items[e].data);
  }
  return answer_end(&answer, count);
}

static bool edges_valid(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
  if (!GASAN_VALID(graph, GRAPH) || (count && (!from || !to)))
    return false;
  for (size_t i = 0; i < count; i++)
    if (!GASAN_VALID(from[i], GRAPH_NODE) || !GASAN_VALID(to[i], GRAPH_NODE) || from[i]->graph != graph ||
        to[i]->graph != graph)
      return false;
  return true;
}

cudaError_t gasan_cpu_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t count) {
  GASAN_GRAPH_ENTER(edges_valid(graph, from, to, count));
  cudaError_t error = cudaSuccess;
  size_t added = 0;
  for (; added < count && error == cudaSuccess; added++)
    error = gasan_cpu_edge_add(from[added], to[added], data ? data[added] : plain);
  for (; error != cudaSuccess && --added > 0;) /* the edge that failed was not added */
    gasan_cpu_edge_remove(from[added - 1], to[added - 1], data ? data[added - 1] : plain);
  return gasan_cpu_graph_leave(error);
}

cudaError_t gasan_cpu_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                                  size_t count) {
  GASAN_GRAPH_ENTER(edges_valid(graph, from, to, count));
  if (gasan_cpu_graph_has(graph, GASAN_CPU_GRAPH_MEMORY_NODES))
    return gasan_cpu_graph_leave(cudaErrorNotSupported);
  bool all = true;
  for (size_t i = 0; i < count; i++)
    all = gasan_cpu_edge_remove(from[i], to[i], data ? data[i] : plain) && all;
  return gasan_cpu_graph_leave(all ? cudaSuccess : cudaErrorInvalidValue);
}

static void print_nodes(FILE *file, struct CUgraph_st *graph, int number) {
  fprintf(file, "  subgraph cluster_%d {\n    label=\"graph_%d\";\n", number, number);
  for (size_t i = 0; i < graph->count; i++)
    fprintf(file, "    \"graph_%d_node_%zu\" [shape=record, label=\"%zu %s\"];\n", number, i, i,
            gasan_cpu_work_name(graph->nodes[i]->work.params.type));
  for (size_t i = 0; i < graph->count; i++) {
    const struct gasan_cpu_edges *edges = &graph->nodes[i]->dependencies;
    for (size_t e = 0; e < edges->count; e++)
      fprintf(file, "    \"graph_%d_node_%zu\" -> \"graph_%d_node_%zu\";\n", number, edges->items[e].node->index,
              number, i);
  }
  fprintf(file, "  }\n");
}

static int print_graph(FILE *file, struct CUgraph_st *graph, int number) {
  print_nodes(file, graph, number++);
  for (size_t i = 0; i < graph->count; i++)
    for (unsigned g = 0; g < graph->nodes[i]->work.graph_count; g++)
      number = print_graph(file, graph->nodes[i]->work.graphs[g], number);
  return number;
}

cudaError_t gasan_cpu_cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
  GASAN_GRAPH_ENTER(path && GASAN_VALID(graph, GRAPH));
  FILE *file = fopen(path, "w");
  if (!file)
    return gasan_cpu_graph_leave(cudaErrorOperatingSystem);
  fprintf(file, "digraph dot {\n");
  print_graph(file, graph, 1);
  fprintf(file, "}\n");
  return gasan_cpu_graph_leave(fclose(file) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}

cudaError_t gasan_cpu_cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                                       unsigned value, unsigned flags) {
  static uint64_t handles;
  GASAN_GRAPH_ENTER(handle && GASAN_VALID(graph, GRAPH) && !(flags & ~(unsigned)cudaGraphCondAssignDefault));
  if (!gasan_cpu_grow(&graph->conditions, graph->condition_count, &graph->condition_room, sizeof *graph->conditions))
    return gasan_cpu_graph_leave(cudaErrorMemoryAllocation);
  *handle = ++handles;
  graph->conditions[graph->condition_count++] =
      (struct gasan_cpu_condition){*handle, value, value, flags & cudaGraphCondAssignDefault};
  return gasan_cpu_graph_leave(cudaSuccess);
}
