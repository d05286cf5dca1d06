/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Updates an executable graph with the parameters of a graph of the same shape. */
#include <stdlib.h>
#include <string.h>

#include "device/cpu/graph.h"
#include "device/cpu/grow.h"

static enum cudaGraphExecUpdateResult set_may_become(const struct cudaMemsetParamsV2 *now,
                                                     const struct cudaMemsetParamsV2 *next) {
  bool rows = now->height > 1 || next->height > 1;
  bool same = now->width == next->width && now->height == next->height && now->elementSize == next->elementSize &&
              now->pitch == next->pitch;
  return rows && !same ? cudaGraphExecUpdateErrorParametersChanged : cudaGraphExecUpdateSuccess;
}

enum cudaGraphExecUpdateResult gasan_cpu_work_may_become(const struct gasan_cpu_work *now,
                                                         const struct gasan_cpu_work *next) {
  const struct cudaMemcpy3DParms *from = &now->params.memcpy.copyParams, *to = &next->params.memcpy.copyParams;
  if (now->params.type != next->params.type)
    return cudaGraphExecUpdateErrorNodeTypeChanged;
  switch (now->params.type) {
  case cudaGraphNodeTypeKernel:
    return gasan_cpu_work_cooperative(now) == gasan_cpu_work_cooperative(next)
               ? cudaGraphExecUpdateSuccess
               : cudaGraphExecUpdateErrorAttributesChanged;
  case cudaGraphNodeTypeMemcpy:
    return !from->srcArray == !to->srcArray && !from->dstArray == !to->dstArray
               ? cudaGraphExecUpdateSuccess
               : cudaGraphExecUpdateErrorParametersChanged;
  case cudaGraphNodeTypeMemset:
    return set_may_become(&now->params.memset, &next->params.memset);
  case cudaGraphNodeTypeConditional:
    return now->params.conditional.type == next->params.conditional.type && now->graph_count == next->graph_count
               ? cudaGraphExecUpdateSuccess
               : cudaGraphExecUpdateErrorParametersChanged;
  case cudaGraphNodeTypeMemAlloc:
  case cudaGraphNodeTypeMemFree:
    return cudaGraphExecUpdateErrorNotSupported;
  default:
    return cudaGraphExecUpdateSuccess;
  }
}

/* Corresponding nodes of the two graphs and their child graphs. */
struct pair {
  struct CUgraphNode_st *now, *next;
};
struct pairs {
  struct pair *items;
  size_t count, room;
};

struct update {
  struct pairs pairs;
  cudaGraphExecUpdateResultInfo info;
};

static bool refuse(struct update *update, enum cudaGraphExecUpdateResult result, struct CUgraphNode_st *node,
                   struct CUgraphNode_st *from) {
  update->info = (cudaGraphExecUpdateResultInfo){result, node, from};
  return false;
}

static bool push(struct update *update, struct pairs *pairs, struct CUgraphNode_st *now, struct CUgraphNode_st *next) {
  if (!gasan_cpu_grow(&pairs->items, pairs->count, &pairs->room, sizeof *pairs->items))
    return refuse(update, cudaGraphExecUpdateError, NULL, NULL);
  pairs->items[pairs->count++] = (struct pair){now, next};
  return true;
}

/* Pairs the nodes on which no other node depends, in the order in which they were added. */
static bool push_exits(struct update *update, struct pairs *todo, struct CUgraph_st *now, struct CUgraph_st *next) {
  struct CUgraph_st *graphs[] = {now, next};
  for (int g = 0; g < 2; g++) {
    for (size_t i = 0; i < graphs[g]->count; i++)
      graphs[g]->nodes[i]->mark = 0;
    for (size_t i = 0; i < graphs[g]->count; i++) {
      const struct gasan_cpu_edges *edges = &graphs[g]->nodes[i]->dependencies;
      for (size_t e = 0; e < edges->count; e++)
        edges->items[e].node->mark = 1; /* another node depends on it */
    }
  }
  size_t other = 0;
  for (size_t i = 0; i < now->count; i++) {
    if (now->nodes[i]->mark)
      continue;
    while (other < next->count && next->nodes[other]->mark)
      other++;
    if (other == next->count)
      return refuse(update, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
    if (!push(update, todo, now->nodes[i], next->nodes[other++]))
      return false;
  }
  for (; other < next->count; other++)
    if (!next->nodes[other]->mark)
      return refuse(update, cudaGraphExecUpdateErrorTopologyChanged, next->nodes[other], NULL);
  return true;
}

static bool match(struct update *update, struct CUgraph_st *now, struct CUgraph_st *next);

static bool match_nodes(struct update *update, struct CUgraphNode_st *now, struct CUgraphNode_st *next) {
  enum cudaGraphExecUpdateResult result = gasan_cpu_work_may_become(&now->work, &next->work);
  if (result != cudaGraphExecUpdateSuccess)
    return refuse(update, result, next, NULL);
  for (unsigned g = 0; g < now->work.graph_count; g++)
    if (!match(update, now->work.graphs[g], next->work.graphs[g]))
      return false;
  return push(update, &update->pairs, now, next);
}

/* Pairs the dependencies of paired nodes, in order. */
static bool match_edges(struct update *update, struct pairs *todo, struct CUgraphNode_st **partner) {
  while (todo->count) {
    struct pair pair = todo->items[--todo->count];
    const struct gasan_cpu_edges *now = &pair.now->dependencies, *next = &pair.next->dependencies;
    if (now->count != next->count)
      return refuse(update, cudaGraphExecUpdateErrorTopologyChanged, pair.next, NULL);
    for (size_t e = 0; e < now->count; e++) {
      struct CUgraphNode_st *before = now->items[e].node, *other = next->items[e].node;
      if (partner[before->index] ? partner[before->index] != other : other->mark == 2)
        return refuse(update, cudaGraphExecUpdateErrorTopologyChanged, pair.next, other);
      if (partner[before->index])
        continue;
      partner[before->index] = other;
      other->mark = 2; /* paired */
      if (!push(update, todo, before, other))
        return false;
    }
  }
  return true;
}

static bool match(struct update *update, struct CUgraph_st *now, struct CUgraph_st *next) {
  if (now->count != next->count)
    return refuse(update, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
  struct pairs todo = {0};
  struct CUgraphNode_st **partner = calloc(now->count + 1, sizeof(struct CUgraphNode_st *));
  bool ok = partner ? push_exits(update, &todo, now, next) : refuse(update, cudaGraphExecUpdateError, NULL, NULL);
  for (size_t i = 0; ok && i < todo.count; i++)
    partner[todo.items[i].now->index] = todo.items[i].next;
  ok = ok && match_edges(update, &todo, partner);
  for (size_t i = 0; ok && i < now->count; i++)
    ok = partner[i] ? match_nodes(update, now->nodes[i], partner[i])
                    : refuse(update, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
  free(todo.items);
  free(partner);
  return ok;
}

/* Replaces the work. Makes all new work before it replaces any old work. */
static bool replace(struct update *update) {
  struct pairs *pairs = &update->pairs;
  struct gasan_cpu_work *works = calloc(pairs->count + 1, sizeof *works);
  size_t made = 0;
  bool ok = works != NULL;
  for (; ok && made < pairs->count; made++)
    if (!pairs->items[made].now->work.graph_count) /* the nodes of child graphs are pairs themselves */
      ok = gasan_cpu_work_copy(&works[made], &pairs->items[made].next->work) == cudaSuccess;
  for (size_t i = 0; i < made; i++) {
    struct gasan_cpu_work *work = &pairs->items[i].now->work;
    if (ok && !work->graph_count) {
      gasan_cpu_work_drop(work);
      *work = works[i];
    } else {
      gasan_cpu_work_drop(&works[i]);
    }
  }
  free(works);
  return ok || refuse(update, cudaGraphExecUpdateError, NULL, NULL);
}

cudaGraphExecUpdateResultInfo gasan_cpu_graph_update(struct CUgraph_st *executable, struct CUgraph_st *graph) {
  struct update update = {.info = {.result = cudaGraphExecUpdateSuccess}};
  if (match(&update, executable, graph))
    replace(&update);
  free(update.pairs.items);
  return update.info;
}
