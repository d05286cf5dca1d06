/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Graphs, their nodes and edges. */
#include "device/cpu/graph.h"

#include <stdlib.h>
#include <string.h>

#include "device/cpu/grow.h"
#include "device/cpu/handles.h"

static uint64_t last_id;

struct CUgraph_st *gasan_cpu_graph_new(void) {
  struct CUgraph_st *graph = gasan_cpu_handle_new(sizeof *graph, GASAN_CPU_HANDLE_GRAPH);
  if (graph)
    graph->id = ++last_id;
  return graph;
}

static void node_free(struct CUgraphNode_st *node) {
  gasan_cpu_work_drop(&node->work);
  free(node->dependencies.items);
  gasan_cpu_handle_free(node, GASAN_CPU_HANDLE_GRAPH_NODE);
}

void gasan_cpu_graph_drop(struct CUgraph_st *graph) {
  for (size_t i = 0; i < graph->count; i++)
    node_free(graph->nodes[i]);
  free(graph->nodes);
  free(graph->conditions);
  free(graph->order);
  gasan_cpu_graph_users_drop(graph);
  gasan_cpu_handle_free(graph, GASAN_CPU_HANDLE_GRAPH);
}

static const struct gasan_cpu_edge *find_edge(const struct gasan_cpu_edges *edges, const struct CUgraphNode_st *node) {
  for (size_t i = 0; i < edges->count; i++)
    if (edges->items[i].node == node)
      return &edges->items[i];
  return NULL;
}

static bool same_data(cudaGraphEdgeData a, cudaGraphEdgeData b) {
  return a.from_port == b.from_port && a.to_port == b.to_port && a.type == b.type;
}

static bool push_edge(struct gasan_cpu_edges *edges, struct gasan_cpu_edge edge) {
  if (!gasan_cpu_grow(&edges->items, edges->count, &edges->room, sizeof *edges->items))
    return false;
  edges->items[edges->count++] = edge;
  return true;
}

cudaError_t gasan_cpu_graph_add(struct CUgraph_st *graph, const struct gasan_cpu_edge *dependencies, size_t count,
                                struct gasan_cpu_work *work, struct CUgraphNode_st **node) {
  if (!gasan_cpu_grow(&graph->nodes, graph->count, &graph->room, sizeof(struct CUgraphNode_st *)))
    return cudaErrorMemoryAllocation;
  struct CUgraphNode_st *made = gasan_cpu_handle_new(sizeof *made, GASAN_CPU_HANDLE_GRAPH_NODE);
  if (!made)
    return cudaErrorMemoryAllocation;
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; i < count && error == cudaSuccess; i++)
    if (dependencies[i].node->graph != graph || find_edge(&made->dependencies, dependencies[i].node))
      error = cudaErrorInvalidValue;
    else if (!push_edge(&made->dependencies, dependencies[i]))
      error = cudaErrorMemoryAllocation;
  if (error != cudaSuccess) {
    free(made->dependencies.items);
    gasan_cpu_handle_free(made, GASAN_CPU_HANDLE_GRAPH_NODE);
    return error;
  }
  made->graph = graph;
  made->index = graph->count;
  made->id = ++last_id;
  made->enabled = true;
  made->work = *work;
  for (unsigned i = 0; i < made->work.graph_count; i++)
    made->work.graphs[i]->owner = made;
  *work = (struct gasan_cpu_work){0};
  graph->nodes[graph->count++] = made;
  *node = made;
  return cudaSuccess;
}

void gasan_cpu_graph_remove(struct CUgraphNode_st *node) {
  struct CUgraph_st *graph = node->graph;
  for (size_t i = 0; i < graph->count; i++) {
    struct gasan_cpu_edges *edges = &graph->nodes[i]->dependencies;
    size_t kept = 0;
    for (size_t e = 0; e < edges->count; e++)
      if (edges->items[e].node != node)
        edges->items[kept++] = edges->items[e];
    edges->count = kept;
  }
  for (size_t i = node->index + 1; i < graph->count; i++) {
    graph->nodes[i - 1] = graph->nodes[i];
    graph->nodes[i - 1]->index = i - 1;
  }
  graph->count--;
  node_free(node);
}

/* A walk from nodes backwards over their dependencies. It is not recursive, because graphs may be long chains. */
struct walk {
  struct CUgraphNode_st **stack;
  size_t *next; /* for each node on the stack, the dependency to visit next */
  size_t depth;
  struct CUgraphNode_st *circle; /* a node that depends on itself; NULL: none was found */
};

enum { NEW, ON_STACK, DONE };

static bool walk_begin(struct walk *walk, struct CUgraph_st *graph) {
  for (size_t i = 0; i < graph->count; i++)
    graph->nodes[i]->mark = NEW;
  walk->depth = 0;
  walk->circle = NULL;
  walk->stack = malloc((graph->count + 1) * sizeof *walk->stack);
  walk->next = malloc((graph->count + 1) * sizeof *walk->next);
  return walk->stack && walk->next;
}

static void walk_end(struct walk *walk) {
  free(walk->stack);
  free(walk->next);
}

static void walk_push(struct walk *walk, struct CUgraphNode_st *node) {
  node->mark = ON_STACK;
  walk->stack[walk->depth] = node;
  walk->next[walk->depth++] = 0;
}

/* Returns the next node, after all its dependencies. NULL: the walk from the pushed nodes is complete. */
static struct CUgraphNode_st *walk_next(struct walk *walk) {
  while (walk->depth) {
    struct CUgraphNode_st *node = walk->stack[walk->depth - 1];
    size_t next = walk->next[walk->depth - 1]++;
    if (next == node->dependencies.count) {
      walk->depth--;
      node->mark = DONE;
      return node;
    }
    struct CUgraphNode_st *before = node->dependencies.items[next].node;
    if (before->mark == NEW)
      walk_push(walk, before);
    else if (before->mark == ON_STACK)
      walk->circle = before;
  }
  return NULL;
}

bool gasan_cpu_graph_precedes(const struct CUgraphNode_st *node, const struct gasan_cpu_edges *targets) {
  struct walk walk;
  bool found = false;
  bool ready = walk_begin(&walk, node->graph);
  for (size_t i = 0; ready && !found && i < targets->count; i++) {
    if (targets->items[i].node->mark != NEW)
      continue;
    walk_push(&walk, targets->items[i].node);
    for (struct CUgraphNode_st *seen; !found && (seen = walk_next(&walk));)
      found = seen == node;
  }
  walk_end(&walk);
  return found || !ready;
}

cudaError_t gasan_cpu_edge_add(struct CUgraphNode_st *from, struct CUgraphNode_st *to, cudaGraphEdgeData data) {
  if (from->graph != to->graph || from == to || find_edge(&to->dependencies, from))
    return cudaErrorInvalidValue;
  return push_edge(&to->dependencies, (struct gasan_cpu_edge){from, data}) ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool gasan_cpu_edge_remove(struct CUgraphNode_st *from, struct CUgraphNode_st *to, cudaGraphEdgeData data) {
  struct gasan_cpu_edges *edges = &to->dependencies;
  const struct gasan_cpu_edge *edge = find_edge(edges, from);
  if (!edge || !same_data(edge->data, data))
    return false;
  size_t index = (size_t)(edge - edges->items);
  memmove(edges->items + index, edges->items + index + 1, (edges->count - index - 1) * sizeof *edges->items);
  edges->count--;
  return true;
}

cudaError_t gasan_cpu_graph_order(struct CUgraph_st *graph, struct CUgraphNode_st ***order,
                                  struct CUgraphNode_st **bad) {
  struct walk walk;
  struct CUgraphNode_st **made = malloc((graph->count + 1) * sizeof *made);
  bool ready = walk_begin(&walk, graph) && made;
  size_t count = 0;
  for (size_t i = 0; ready && i < graph->count; i++) {
    if (graph->nodes[i]->mark != NEW)
      continue;
    walk_push(&walk, graph->nodes[i]);
    for (struct CUgraphNode_st *node; (node = walk_next(&walk));)
      made[count++] = node;
  }
  walk_end(&walk);
  if (ready && !walk.circle) {
    *order = made;
    return cudaSuccess;
  }
  free(made);
  if (!ready)
    return cudaErrorMemoryAllocation;
  *bad = walk.circle;
  return cudaErrorInvalidValue;
}

static bool copy_nodes(struct CUgraph_st *copy, const struct CUgraph_st *graph) {
  for (size_t i = 0; i < graph->count; i++) {
    const struct CUgraphNode_st *node = graph->nodes[i];
    struct gasan_cpu_work work;
    struct CUgraphNode_st *made;
    if (gasan_cpu_work_copy(&work, &node->work) != cudaSuccess)
      return false;
    if (gasan_cpu_graph_add(copy, NULL, 0, &work, &made) != cudaSuccess) {
      gasan_cpu_work_drop(&work);
      return false;
    }
    made->original = node->id;
  }
  for (size_t i = 0; i < graph->count; i++) {
    const struct gasan_cpu_edges *edges = &graph->nodes[i]->dependencies;
    for (size_t e = 0; e < edges->count; e++) {
      struct gasan_cpu_edge edge = {copy->nodes[edges->items[e].node->index], edges->items[e].data};
      if (!push_edge(&copy->nodes[i]->dependencies, edge))
        return false;
    }
  }
  return true;
}

static bool copy_conditions(struct CUgraph_st *copy, const struct CUgraph_st *graph) {
  for (size_t i = 0; i < graph->condition_count; i++) {
    if (!gasan_cpu_grow(&copy->conditions, i, &copy->condition_room, sizeof *copy->conditions))
      return false;
    copy->conditions[i] = graph->conditions[i];
    copy->condition_count++;
  }
  return true;
}

struct CUgraph_st *gasan_cpu_graph_copy(const struct CUgraph_st *graph) {
  struct CUgraph_st *copy = gasan_cpu_graph_new();
  if (!copy)
    return NULL;
  copy->original = graph->id;
  if (copy_nodes(copy, graph) && copy_conditions(copy, graph) && gasan_cpu_graph_users_copy(copy, graph) == cudaSuccess)
    return copy;
  gasan_cpu_graph_drop(copy);
  return NULL;
}

bool gasan_cpu_graph_has(const struct CUgraph_st *graph, uint32_t types) {
  for (size_t i = 0; i < graph->count; i++) {
    const struct gasan_cpu_work *work = &graph->nodes[i]->work;
    if (types & 1u << work->params.type)
      return true;
    for (unsigned g = 0; g < work->graph_count; g++)
      if (gasan_cpu_graph_has(work->graphs[g], types))
        return true;
  }
  return false;
}

/* Returns the index of a child graph in its node. */
static unsigned graph_number(const struct CUgraph_st *graph) {
  unsigned number = 0;
  while (graph->owner->work.graphs[number] != graph)
    number++;
  return number;
}

struct CUgraphNode_st *gasan_cpu_graph_copied(struct CUgraph_st *copy, const struct CUgraphNode_st *node) {
  if (node->graph->id != copy->original) {
    const struct CUgraphNode_st *owner = node->graph->owner;
    struct CUgraphNode_st *parent = owner ? gasan_cpu_graph_copied(copy, owner) : NULL;
    if (!parent)
      return NULL;
    unsigned number = graph_number(node->graph);
    if (number >= parent->work.graph_count)
      return NULL;
    copy = parent->work.graphs[number];
  }
  if (node->index < copy->count && copy->nodes[node->index]->original == node->id)
    return copy->nodes[node->index];
  for (size_t i = 0; i < copy->count; i++)
    if (copy->nodes[i]->original == node->id)
      return copy->nodes[i];
  return NULL;
}
