/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes, runs and destroys executable graphs. */
#include <stdlib.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/graph.h"
#include "device/cpu/handles.h"

static cudaError_t prepare(struct CUgraph_st *graph, struct CUgraphNode_st **bad) {
  cudaError_t error = gasan_cpu_graph_order(graph, &graph->order, bad);
  for (size_t i = 0; error == cudaSuccess && i < graph->count; i++) {
    const struct gasan_cpu_work *work = &graph->nodes[i]->work;
    for (unsigned g = 0; error == cudaSuccess && g < work->graph_count; g++)
      error = prepare(work->graphs[g], bad);
  }
  return error;
}

/* Node types of which a graph may have only one executable, because the graph owns the node's memory or value. */
#define SINGLE (GASAN_CPU_GRAPH_MEMORY_NODES | 1u << cudaGraphNodeTypeConditional)

cudaError_t gasan_cpu_graph_instantiate(struct CUgraph_st *graph, unsigned long long flags,
                                        struct CUgraphExec_st **exec, struct CUgraphNode_st **bad) {
  unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                             cudaGraphInstantiateFlagUseNodePriority;
  *bad = NULL;
  if (flags & cudaGraphInstantiateFlagDeviceLaunch)
    return cudaErrorNotSupported;
  if (flags & ~known || (graph->executables && gasan_cpu_graph_has(graph, SINGLE)))
    return cudaErrorInvalidValue;
  struct CUgraphNode_st **order;
  cudaError_t error = gasan_cpu_graph_order(graph, &order, bad); /* *bad must be a node of the program, not a copy */
  if (error != cudaSuccess)
    return error;
  free(order);
  struct CUgraphExec_st *made = gasan_cpu_handle_new(sizeof *made, GASAN_CPU_HANDLE_GRAPH_EXEC);
  struct CUgraph_st *copy = made ? gasan_cpu_graph_copy(graph) : NULL;
  struct CUgraphNode_st *inner;
  error = copy ? prepare(copy, &inner) : cudaErrorMemoryAllocation;
  if (error != cudaSuccess) {
    if (copy)
      gasan_cpu_graph_drop(copy);
    gasan_cpu_handle_free(made, GASAN_CPU_HANDLE_GRAPH_EXEC);
    return error;
  }
  pthread_mutex_init(&made->lock, NULL);
  made->graph = copy;
  made->source = graph;
  made->source_id = graph->id;
  made->flags = flags;
  graph->executables++;
  *exec = made;
  return cudaSuccess;
}

/* Frees an executable that is destroyed and has no runs. Must be called with the graphs' lock. */
static void release(struct CUgraphExec_st *exec) {
  if (!exec->destroyed || exec->runs)
    return;
  gasan_cpu_graph_drop(exec->graph);
  pthread_mutex_destroy(&exec->lock);
  free(exec);
}

void gasan_cpu_graph_exec_destroy(struct CUgraphExec_st *exec) {
  if (gasan_cpu_handle_valid(exec->source, GASAN_CPU_HANDLE_GRAPH) && exec->source->id == exec->source_id)
    exec->source->executables--;
  gasan_cpu_handle_retire(exec, GASAN_CPU_HANDLE_GRAPH_EXEC);
  exec->destroyed = true;
  release(exec);
}

struct run {
  uint64_t first_launch, launches; /* number of the first kernel, 0: not numbered; kernels so far */
};

typedef cudaError_t run_function(struct run *run, struct CUgraphNode_st *node);
static cudaError_t run_graph(struct run *run, struct CUgraph_st *graph);

static cudaError_t run_kernel(struct run *run, struct CUgraphNode_st *node) {
  const struct cudaKernelNodeParamsV2 *kernel = &node->work.params.kernel;
  if (run->first_launch)
    gasan_cpu_set_launch_id(run->first_launch + run->launches);
  run->launches++;
  __typeof__(&cudaLaunchKernel) launch =
      gasan_cpu_work_cooperative(&node->work) ? gasan_cpu_cudaLaunchCooperativeKernel : gasan_cpu_cudaLaunchKernel;
  return launch(kernel->func, kernel->gridDim, kernel->blockDim, kernel->kernelParams, kernel->sharedMemBytes, NULL);
}

static cudaError_t run_copy(struct run *run, struct CUgraphNode_st *node) {
  return gasan_cpu_cudaMemcpy3DAsync(&node->work.params.memcpy.copyParams, NULL);
}

static void set_row(void *row, unsigned value, unsigned size, size_t count) {
  switch (size) {
  case 1:
    memset(row, (int)value, count);
    break;
  case 2:
    for (size_t i = 0; i < count; i++)
      ((uint16_t *)row)[i] = (uint16_t)value;
    break;
  default:
    for (size_t i = 0; i < count; i++)
      ((uint32_t *)row)[i] = value;
    break;
  }
}

static cudaError_t run_set(struct run *run, struct CUgraphNode_st *node) {
  const struct cudaMemsetParamsV2 *set = &node->work.params.memset;
  if (gasan_cpu_device_failed())
    return cudaSuccess;
  gasan_cpu_device_lock();
  for (size_t row = 0; row < set->height; row++)
    set_row((char *)set->dst + row * set->pitch, set->value, set->elementSize, set->width);
  gasan_cpu_device_unlock();
  return cudaSuccess;
}

static cudaError_t run_host(struct run *run, struct CUgraphNode_st *node) {
  if (!gasan_cpu_device_failed())
    node->work.params.host.fn(node->work.params.host.userData);
  return cudaSuccess;
}

static cudaError_t run_child(struct run *run, struct CUgraphNode_st *node) {
  return run_graph(run, node->work.graphs[0]);
}

/* Does nothing: earlier work of other streams is already complete. */
static cudaError_t run_nothing(struct run *run, struct CUgraphNode_st *node) {
  return cudaSuccess;
}

static cudaError_t run_record(struct run *run, struct CUgraphNode_st *node) {
  return gasan_cpu_cudaEventRecord(node->work.params.eventRecord.event, NULL);
}

static cudaError_t run_allocation(struct run *run, struct CUgraphNode_st *node) {
  gasan_cpu_graph_lock();
  bool begun = gasan_cpu_graph_memory_begin(node->work.memory);
  gasan_cpu_graph_unlock();
  return begun ? cudaSuccess : gasan_cpu_result(cudaErrorInvalidValue);
}

static cudaError_t run_free(struct run *run, struct CUgraphNode_st *node) {
  cudaError_t error;
  if (!gasan_cpu_graph_memory_end(node->work.params.free.dptr, &error))
    error = gasan_cpu_result(cudaErrorInvalidValue);
  return error;
}

static cudaError_t run_condition(struct run *run, struct CUgraphNode_st *node) {
  const struct cudaConditionalNodeParams *params = &node->work.params.conditional;
  const struct gasan_cpu_condition *condition = gasan_cpu_work_condition(node);
  struct CUgraph_st **bodies = node->work.graphs;
  cudaError_t error = cudaSuccess;
  switch (params->type) {
  case cudaGraphCondTypeIf:
    return condition->value ? run_graph(run, bodies[0]) : params->size > 1 ? run_graph(run, bodies[1]) : cudaSuccess;
  case cudaGraphCondTypeSwitch:
    return condition->value < params->size ? run_graph(run, bodies[condition->value]) : cudaSuccess;
  case cudaGraphCondTypeWhile:
    while (condition->value && error == cudaSuccess && !gasan_cpu_device_failed())
      error = run_graph(run, bodies[0]);
    return error;
  }
  return cudaErrorInvalidValue;
}

static run_function *const run_by_type[cudaGraphNodeTypeCount] = {
    [cudaGraphNodeTypeKernel] = run_kernel,
    [cudaGraphNodeTypeMemcpy] = run_copy,
    [cudaGraphNodeTypeMemset] = run_set,
    [cudaGraphNodeTypeHost] = run_host,
    [cudaGraphNodeTypeGraph] = run_child,
    [cudaGraphNodeTypeEmpty] = run_nothing,
    [cudaGraphNodeTypeWaitEvent] = run_nothing,
    [cudaGraphNodeTypeEventRecord] = run_record,
    [cudaGraphNodeTypeMemAlloc] = run_allocation,
    [cudaGraphNodeTypeMemFree] = run_free,
    [cudaGraphNodeTypeConditional] = run_condition,
};

static cudaError_t run_graph(struct run *run, struct CUgraph_st *graph) {
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; i < graph->count && error == cudaSuccess; i++) {
    struct CUgraphNode_st *node = graph->order[i];
    if (node->enabled)
      error = run_by_type[node->work.params.type](run, node);
  }
  return error;
}

/* Prepares a launch. Returns false if memory of the last launch was not freed and `free_memory` is false. */
static bool reset(struct CUgraph_st *graph, bool free_memory) {
  bool ready = true;
  for (size_t i = 0; i < graph->condition_count; i++)
    if (graph->conditions[i].reset)
      graph->conditions[i].value = graph->conditions[i].initial;
  for (size_t i = 0; i < graph->count; i++) {
    struct gasan_cpu_work *work = &graph->nodes[i]->work;
    cudaError_t error;
    if (work->memory && gasan_cpu_graph_memory_live(work->memory)) {
      ready = ready && free_memory;
      if (free_memory)
        gasan_cpu_graph_memory_end(work->params.alloc.dptr, &error);
    }
    for (unsigned g = 0; g < work->graph_count; g++)
      ready = reset(work->graphs[g], free_memory) && ready;
  }
  return ready;
}

cudaError_t gasan_cpu_graph_run(struct CUgraphExec_st *exec) {
  struct run run = {.first_launch = gasan_cpu_launch_id()};
  gasan_cpu_graph_lock();
  bool valid = gasan_cpu_handle_valid(exec, GASAN_CPU_HANDLE_GRAPH_EXEC);
  if (valid)
    exec->runs++;
  gasan_cpu_graph_unlock();
  if (!valid)
    return gasan_cpu_result(cudaErrorInvalidValue);
  pthread_mutex_lock(&exec->lock);
  gasan_cpu_graph_lock();
  bool ready = reset(exec->graph, exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
  gasan_cpu_graph_unlock();
  cudaError_t error = ready ? run_graph(&run, exec->graph) : gasan_cpu_result(cudaErrorInvalidValue);
  pthread_mutex_unlock(&exec->lock);
  gasan_cpu_graph_lock();
  exec->runs--;
  release(exec);
  gasan_cpu_graph_unlock();
  gasan_cpu_set_launch_id(run.first_launch ? run.first_launch + run.launches : 0);
  return error;
}
