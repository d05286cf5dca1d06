/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The work of nodes: checks and copies the parameters of each node type. */
#include <stdlib.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/graph.h"
#include "device/cpu/handles.h"

typedef cudaError_t take_function(struct gasan_cpu_work *work, struct CUgraph_st *graph);

/* CUDA promises that the call that adds the node copies the arguments. */
static cudaError_t copy_arguments(struct gasan_cpu_work *work, const struct gasan_cpu_kernel *kernel, void **from) {
  size_t pointers = (kernel->parameter_count * sizeof(void *) + 15) & ~(size_t)15, size = pointers;
  for (uint32_t i = 0; i < kernel->parameter_count; i++)
    size += (kernel->parameter_sizes[i] + 15) & ~(size_t)15;
  char *memory = aligned_alloc(64, (size + 64) & ~(size_t)63);
  if (!memory)
    return cudaErrorMemoryAllocation;
  char *value = memory + pointers;
  for (uint32_t i = 0; i < kernel->parameter_count; i++) {
    memcpy(value, from[i], kernel->parameter_sizes[i]);
    ((void **)memory)[i] = value;
    value += (kernel->parameter_sizes[i] + 15) & ~(size_t)15;
  }
  work->arguments = memory;
  work->params.kernel.kernelParams = (void **)memory;
  return cudaSuccess;
}

static cudaError_t take_kernel(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  const struct cudaKernelNodeParamsV2 *kernel = &work->params.kernel;
  struct gasan_cpu_function *function = gasan_cpu_function_find(kernel->func);
  if (!function)
    return cudaErrorInvalidResourceHandle;
  if (kernel->extra)
    return kernel->kernelParams ? cudaErrorInvalidValue : cudaErrorNotSupported;
  if (function->kernel->parameter_count && !kernel->kernelParams)
    return cudaErrorInvalidValue;
  for (uint32_t i = 0; i < function->kernel->parameter_count; i++)
    if (!kernel->kernelParams[i])
      return cudaErrorInvalidValue;
  cudaError_t error = gasan_cpu_launch_check(function, kernel->gridDim, kernel->blockDim, kernel->sharedMemBytes);
  return error == cudaSuccess ? copy_arguments(work, function->kernel, kernel->kernelParams) : error;
}

static bool side_ok(const struct cudaPitchedPtr *pointer, cudaArray_t array, struct cudaPos at,
                    const struct cudaMemcpy3DParms *copy) {
  if (array)
    return !pointer->ptr;
  bool rows = copy->extent.height > 1 || copy->extent.depth > 1;
  return pointer->ptr && (copy->srcArray || copy->dstArray || !rows || at.x + copy->extent.width <= pointer->pitch);
}

static cudaError_t take_copy(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  const struct cudaMemcpy3DParms *copy = &work->params.memcpy.copyParams;
  if ((unsigned)copy->kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  return side_ok(&copy->srcPtr, copy->srcArray, copy->srcPos, copy) &&
                 side_ok(&copy->dstPtr, copy->dstArray, copy->dstPos, copy)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

static cudaError_t take_set(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  const struct cudaMemsetParamsV2 *set = &work->params.memset;
  size_t row;
  if (!set->dst || (set->elementSize != 1 && set->elementSize != 2 && set->elementSize != 4) || !set->width ||
      !set->height || __builtin_mul_overflow(set->width, set->elementSize, &row) ||
      (set->height > 1 && row > set->pitch))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

static cudaError_t take_host(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  return work->params.host.fn ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t hold_graphs(struct gasan_cpu_work *work, unsigned count) {
  work->graphs = calloc(count, sizeof(struct CUgraph_st *));
  return work->graphs ? cudaSuccess : cudaErrorMemoryAllocation;
}

static bool is_inside(const struct CUgraph_st *graph, const struct CUgraph_st *outer) {
  while (graph && graph != outer)
    graph = graph->owner ? graph->owner->graph : NULL;
  return graph == outer;
}

static cudaError_t take_graph(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  struct CUgraph_st *child = work->params.graph.graph;
  bool moved = work->params.graph.ownership == cudaGraphChildGraphOwnershipMove;
  uint32_t not_copied = GASAN_CPU_GRAPH_MEMORY_NODES | 1u << cudaGraphNodeTypeConditional;
  if (!gasan_cpu_handle_valid(child, GASAN_CPU_HANDLE_GRAPH) || is_inside(graph, child) ||
      (unsigned)work->params.graph.ownership > cudaGraphChildGraphOwnershipMove || (moved && child->owner))
    return cudaErrorInvalidValue;
  if (gasan_cpu_graph_has(child, moved ? 1u << cudaGraphNodeTypeConditional : not_copied))
    return cudaErrorNotSupported;
  if (hold_graphs(work, 1) != cudaSuccess)
    return cudaErrorMemoryAllocation;
  work->graphs[0] = moved ? child : gasan_cpu_graph_copy(child);
  if (!work->graphs[0])
    return cudaErrorMemoryAllocation;
  work->graph_count = 1;
  work->params.graph.graph = work->graphs[0];
  return cudaSuccess;
}

static cudaError_t take_nothing(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  return cudaSuccess;
}

static cudaError_t take_wait(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  return gasan_cpu_handle_valid(work->params.eventWait.event, GASAN_CPU_HANDLE_EVENT) ? cudaSuccess
                                                                                      : cudaErrorInvalidResourceHandle;
}

static cudaError_t take_record(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  return gasan_cpu_handle_valid(work->params.eventRecord.event, GASAN_CPU_HANDLE_EVENT)
             ? cudaSuccess
             : cudaErrorInvalidResourceHandle;
}

static cudaError_t take_unsupported(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  return cudaErrorNotSupported; /* external semaphores */
}

static cudaError_t take_allocation(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  struct cudaMemAllocNodeParamsV2 *allocation = &work->params.alloc;
  if (!allocation->bytesize || allocation->poolProps.allocType != cudaMemAllocationTypePinned ||
      allocation->poolProps.location.type != cudaMemLocationTypeDevice || allocation->poolProps.location.id != 0)
    return cudaErrorInvalidValue;
  allocation->accessDescs = NULL; /* the only device has access */
  allocation->accessDescCount = 0;
  work->memory = gasan_cpu_graph_memory_new(allocation->bytesize, &allocation->dptr);
  return work->memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t take_free(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  return gasan_cpu_graph_memory_is(work->params.free.dptr) ? cudaSuccess : cudaErrorInvalidValue;
}

static struct gasan_cpu_condition *find_condition(struct CUgraph_st *graph, cudaGraphConditionalHandle handle) {
  for (; graph; graph = graph->owner ? graph->owner->graph : NULL)
    for (size_t i = 0; i < graph->condition_count; i++)
      if (graph->conditions[i].handle == handle)
        return &graph->conditions[i];
  return NULL;
}

static cudaError_t take_condition(struct gasan_cpu_work *work, struct CUgraph_st *graph) {
  struct cudaConditionalNodeParams *condition = &work->params.conditional;
  unsigned most = condition->type == cudaGraphCondTypeIf ? 2 : condition->type == cudaGraphCondTypeWhile ? 1 : 1u << 16;
  if ((unsigned)condition->type > cudaGraphCondTypeSwitch || !condition->size || condition->size > most ||
      !find_condition(graph, condition->handle))
    return cudaErrorInvalidValue;
  if (hold_graphs(work, condition->size) != cudaSuccess)
    return cudaErrorMemoryAllocation;
  for (; work->graph_count < condition->size; work->graph_count++)
    if (!(work->graphs[work->graph_count] = gasan_cpu_graph_new()))
      return cudaErrorMemoryAllocation;
  condition->phGraph_out = work->graphs;
  return cudaSuccess;
}

static const struct {
  const char *name;
  take_function *take;
} types[cudaGraphNodeTypeCount] = {
    [cudaGraphNodeTypeKernel] = {"kernel", take_kernel},
    [cudaGraphNodeTypeMemcpy] = {"memcpy", take_copy},
    [cudaGraphNodeTypeMemset] = {"memset", take_set},
    [cudaGraphNodeTypeHost] = {"host", take_host},
    [cudaGraphNodeTypeGraph] = {"graph", take_graph},
    [cudaGraphNodeTypeEmpty] = {"empty", take_nothing},
    [cudaGraphNodeTypeWaitEvent] = {"event wait", take_wait},
    [cudaGraphNodeTypeEventRecord] = {"event record", take_record},
    [cudaGraphNodeTypeExtSemaphoreSignal] = {"semaphore signal", take_unsupported},
    [cudaGraphNodeTypeExtSemaphoreWait] = {"semaphore wait", take_unsupported},
    [cudaGraphNodeTypeMemAlloc] = {"allocation", take_allocation},
    [cudaGraphNodeTypeMemFree] = {"free", take_free},
    [cudaGraphNodeTypeConditional] = {"conditional", take_condition},
};

const char *gasan_cpu_work_name(enum cudaGraphNodeType type) {
  return types[type].name;
}

cudaError_t gasan_cpu_work_make(struct gasan_cpu_work *work, struct CUgraph_st *graph,
                                const struct cudaGraphNodeParams *params) {
  *work = (struct gasan_cpu_work){.params = *params};
  if ((unsigned)params->type >= cudaGraphNodeTypeCount || !types[params->type].take)
    return cudaErrorInvalidValue;
  cudaError_t error = types[params->type].take(work, graph);
  if (error != cudaSuccess)
    gasan_cpu_work_drop(work);
  return error;
}

static cudaError_t copy_graphs(struct gasan_cpu_work *work, const struct gasan_cpu_work *from) {
  if (hold_graphs(work, from->graph_count) != cudaSuccess)
    return cudaErrorMemoryAllocation;
  for (; work->graph_count < from->graph_count; work->graph_count++)
    if (!(work->graphs[work->graph_count] = gasan_cpu_graph_copy(from->graphs[work->graph_count])))
      return cudaErrorMemoryAllocation;
  if (work->params.type == cudaGraphNodeTypeGraph)
    work->params.graph.graph = work->graphs[0];
  else
    work->params.conditional.phGraph_out = work->graphs;
  return cudaSuccess;
}

static cudaError_t copy_attributes(struct gasan_cpu_work *work, const struct gasan_cpu_attributes *from) {
  work->attributes = malloc(sizeof *from);
  if (!work->attributes)
    return cudaErrorMemoryAllocation;
  *work->attributes = *from;
  return cudaSuccess;
}

cudaError_t gasan_cpu_work_copy(struct gasan_cpu_work *work, const struct gasan_cpu_work *from) {
  *work = (struct gasan_cpu_work){.params = from->params};
  cudaError_t error = cudaSuccess;
  if (from->params.type == cudaGraphNodeTypeKernel) /* its module may have been unloaded since */
    error = take_kernel(work, NULL);
  if (error == cudaSuccess && from->attributes)
    error = copy_attributes(work, from->attributes);
  if (error == cudaSuccess && from->graph_count)
    error = copy_graphs(work, from);
  if (error == cudaSuccess && from->memory) {
    gasan_cpu_graph_memory_hold(from->memory);
    work->memory = from->memory;
  }
  if (error != cudaSuccess)
    gasan_cpu_work_drop(work);
  return error;
}

void gasan_cpu_work_drop(struct gasan_cpu_work *work) {
  for (unsigned i = 0; i < work->graph_count; i++)
    gasan_cpu_graph_drop(work->graphs[i]);
  free(work->graphs);
  free(work->arguments);
  free(work->attributes);
  if (work->memory)
    gasan_cpu_graph_memory_release(work->memory);
  *work = (struct gasan_cpu_work){0};
}

cudaError_t gasan_cpu_work_attribute(struct gasan_cpu_work *work, cudaLaunchAttributeID id,
                                     const cudaLaunchAttributeValue *value) {
  static const struct gasan_cpu_attributes none;
  if ((unsigned)id >= GASAN_CPU_ATTRIBUTES)
    return cudaErrorInvalidValue;
  if (id == cudaLaunchAttributeClusterDimension &&
      (uint64_t)value->clusterDim.x * value->clusterDim.y * value->clusterDim.z > 1)
    return cudaErrorInvalidClusterSize;
  if (!work->attributes && copy_attributes(work, &none) != cudaSuccess)
    return cudaErrorMemoryAllocation;
  work->attributes->set |= 1u << id;
  work->attributes->values[id] = *value;
  return cudaSuccess;
}

bool gasan_cpu_work_cooperative(const struct gasan_cpu_work *work) {
  return work->attributes && work->attributes->values[cudaLaunchAttributeCooperative].cooperative;
}

struct cudaGraphNodeParams gasan_cpu_work_copy_1d(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemcpy};
  params.memcpy.copyParams = (struct cudaMemcpy3DParms){
      .srcPtr = {(void *)from, size, size, 1}, .dstPtr = {to, size, size, 1}, .extent = {size, 1, 1}, .kind = kind};
  return params;
}

cudaError_t gasan_cpu_work_to_symbol(struct cudaGraphNodeParams *params, const void *symbol, const void *from,
                                     size_t size, size_t offset, enum cudaMemcpyKind kind) {
  cudaError_t error;
  char *to = gasan_cpu_symbol_part(symbol, offset, size, &error);
  if (to)
    *params = gasan_cpu_work_copy_1d(to, from, size, kind);
  return error;
}

cudaError_t gasan_cpu_work_from_symbol(struct cudaGraphNodeParams *params, void *to, const void *symbol, size_t size,
                                       size_t offset, enum cudaMemcpyKind kind) {
  cudaError_t error;
  const char *from = gasan_cpu_symbol_part(symbol, offset, size, &error);
  if (from)
    *params = gasan_cpu_work_copy_1d(to, from, size, kind);
  return error;
}

struct gasan_cpu_condition *gasan_cpu_work_condition(struct CUgraphNode_st *node) {
  return find_condition(node->graph, node->work.params.conditional.handle);
}
