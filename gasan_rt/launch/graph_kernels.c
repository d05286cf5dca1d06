/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/graph_kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/launch_inputs.h"

/* The greatest number of kernels of one executable. The limit is needed because updates may add any number of
 * shapes. */
#define MOST_KERNELS 4096u

/* A kernel of an executable, and the different inputs of its nodes. */
struct item {
  struct gasan_graph_kernel kernel;
  struct gasan_launch_inputs *inputs; /* GASAN_GRAPH_INPUTS; NULL: none */
  uint32_t input_count;               /* of the inputs that are kept; greater: there were more */
};

struct gasan_graph_kernels {
  struct item *items;
  uint32_t count, room;
  struct gasan_map_entry by_exec;
};

struct node {
  struct gasan_graph_kernel kernel; /* kernel NULL: a conditional node */
  cudaGraph_t *bodies;
  unsigned body_count;
  struct gasan_map_entry by_handle;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Executable graphs that are not destroyed. */
GASAN_MAP(executables, 8);
/* Nodes of destroyed graphs stay until CUDA reuses the handle. */
GASAN_MAP(nodes, 14);

static struct node *find_node(cudaGraphNode_t handle) {
  return GASAN_MAP_OWNER(gasan_map_find(&nodes, (uintptr_t)handle), struct node, by_handle);
}

/* Must be called with the lock. Returns the node's record, cleared. Returns NULL without host memory: the node then
 * stays unknown, and its report is less precise. */
static struct node *renew_node(cudaGraphNode_t handle) {
  struct node *node = find_node(handle);
  if (!node && (node = calloc(1, sizeof *node)))
    gasan_map_insert(&nodes, &node->by_handle, (uintptr_t)handle);
  if (node) {
    free(node->bodies);
    node->kernel = (struct gasan_graph_kernel){0};
    node->bodies = NULL;
    node->body_count = 0;
  }
  return node;
}

static void put_kernel(cudaGraphNode_t handle, struct gasan_graph_kernel kernel) {
  struct node *node = handle ? renew_node(handle) : NULL;
  if (node)
    node->kernel = kernel;
}

void gasan_graph_note_node(cudaGraphNode_t handle, const struct gasan_graph_kernel *kernel) {
  pthread_mutex_lock(&lock);
  put_kernel(handle, *kernel);
  pthread_mutex_unlock(&lock);
}

void gasan_graph_note_captured(cudaStream_t stream, const struct gasan_graph_kernel *kernel) {
  /* The legacy stream cannot capture. */
  if (!stream)
    stream = cudaStreamPerThread;
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t *tips = NULL;
  const cudaGraphEdgeData *edges = NULL;
  size_t count = 0;
  if (GASAN_REAL(cudaStreamGetCaptureInfo)(stream, &status, NULL, NULL, &tips, &edges, &count) == cudaSuccess &&
      status == cudaStreamCaptureStatusActive && count == 1)
    gasan_graph_note_node(tips[0], kernel);
}

void gasan_graph_note_bodies(cudaGraphNode_t handle, cudaGraph_t *bodies, unsigned count) {
  pthread_mutex_lock(&lock);
  struct node *node = handle ? renew_node(handle) : NULL;
  if (node && (node->bodies = malloc(count * sizeof(cudaGraph_t)))) {
    memcpy(node->bodies, bodies, count * sizeof(cudaGraph_t));
    node->body_count = count;
  }
  pthread_mutex_unlock(&lock);
}

/* Returns the graph's nodes, which the caller frees. */
static cudaGraphNode_t *get_nodes(cudaGraph_t graph, size_t *count) {
  *count = 0;
  if (GASAN_REAL(cudaGraphGetNodes)(graph, NULL, count) != cudaSuccess || !*count)
    return NULL;
  cudaGraphNode_t *list = malloc(*count * sizeof(cudaGraphNode_t));
  if (list && GASAN_REAL(cudaGraphGetNodes)(graph, list, count) == cudaSuccess)
    return list;
  free(list);
  return NULL;
}

static enum cudaGraphNodeType type_of(cudaGraphNode_t node) {
  enum cudaGraphNodeType type = cudaGraphNodeTypeCount;
  GASAN_REAL(cudaGraphNodeGetType)(node, &type);
  return type;
}

static cudaGraph_t child_of(cudaGraphNode_t node) {
  cudaGraph_t child = NULL;
  if (type_of(node) == cudaGraphNodeTypeGraph)
    GASAN_REAL(cudaGraphChildGraphNodeGetGraph)(node, &child);
  return child;
}

void gasan_graph_note_copy(cudaGraph_t copy, cudaGraph_t graph) {
  size_t from_count, to_count;
  cudaGraphNode_t *from = get_nodes(graph, &from_count), *to = get_nodes(copy, &to_count);
  for (size_t i = 0; from && to && from_count == to_count && i < from_count; i++) {
    cudaGraph_t child = child_of(from[i]), child_copy = child ? child_of(to[i]) : NULL;
    if (child_copy)
      gasan_graph_note_copy(child_copy, child);
    pthread_mutex_lock(&lock);
    const struct node *known = find_node(from[i]);
    if (known && known->kernel.kernel && type_of(to[i]) == cudaGraphNodeTypeKernel)
      put_kernel(to[i], known->kernel);
    pthread_mutex_unlock(&lock);
  }
  free(from);
  free(to);
}

const struct gasan_kernel *gasan_graph_node_kernel(cudaGraphNode_t handle, const void *function, int *ordinal) {
  const struct gasan_kernel *kernel = gasan_registry_kernel(function);
  pthread_mutex_lock(&lock);
  const struct node *known = find_node(handle);
  /* CUDA may have reused the handle. */
  if (!known || known->kernel.kernel != kernel)
    kernel = NULL;
  if (kernel)
    *ordinal = known->kernel.ordinal;
  pthread_mutex_unlock(&lock);
  return kernel;
}

/* CUDA finds the copy of a child graph's node only in the copy of that child graph. */
cudaGraphNode_t gasan_graph_find_in_clone(cudaGraph_t clone, cudaGraphNode_t node) {
  cudaGraphNode_t found = NULL;
  if (GASAN_REAL(cudaGraphNodeFindInClone)(&found, node, clone) == cudaSuccess)
    return found;
  size_t count;
  cudaGraphNode_t *list = get_nodes(clone, &count);
  found = NULL;
  for (size_t i = 0; list && i < count && !found; i++) {
    cudaGraph_t child = child_of(list[i]);
    if (child)
      found = gasan_graph_find_in_clone(child, node);
  }
  free(list);
  return found;
}

void gasan_graph_each_node(cudaGraph_t graph,
                           void (*visit)(cudaGraphNode_t node, enum cudaGraphNodeType type, void *context),
                           void *context) {
  size_t count;
  cudaGraphNode_t *list = get_nodes(graph, &count);
  for (size_t i = 0; list && i < count; i++) {
    cudaGraph_t child = child_of(list[i]);
    visit(list[i], type_of(list[i]), context);
    if (child)
      gasan_graph_each_node(child, visit, context);
  }
  free(list);
}

static struct gasan_graph_kernels *find_executable(cudaGraphExec_t exec) {
  return GASAN_MAP_OWNER(gasan_map_find(&executables, (uintptr_t)exec), struct gasan_graph_kernels, by_exec);
}

static bool has_same_shape(const struct gasan_graph_kernel *a, const struct gasan_graph_kernel *b) {
  return a->kernel == b->kernel && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
         memcmp(a->block, b->block, sizeof a->block) == 0;
}

static struct item *find_item(const struct gasan_graph_kernels *kernels, const struct gasan_graph_kernel *kernel) {
  for (uint32_t i = 0; i < kernels->count; i++)
    if (has_same_shape(&kernels->items[i].kernel, kernel))
      return &kernels->items[i];
  return NULL;
}

/* Adds the kernel unless the list has it: a fault's record does not distinguish nodes with the same kernel and shape,
 * so only the first node is recorded. Returns NULL if there is no room. */
static struct item *add_kernel(struct gasan_graph_kernels *kernels, const struct gasan_graph_kernel *kernel) {
  struct item *known = find_item(kernels, kernel);
  if (known)
    return known;
  if (kernels->count == kernels->room) {
    uint32_t room = kernels->room ? kernels->room * 2 : 8;
    struct item *items = room <= MOST_KERNELS ? realloc(kernels->items, room * sizeof *items) : NULL;
    if (!items)
      return NULL;
    kernels->items = items;
    kernels->room = room;
  }
  kernels->items[kernels->count] = (struct item){.kernel = *kernel};
  return &kernels->items[kernels->count++];
}

static bool has_same_inputs(const struct gasan_launch_inputs *a, const struct gasan_launch_inputs *b) {
  return a->count == b->count && a->dynamic_shared == b->dynamic_shared &&
         memcmp(a->values, b->values, a->count * sizeof *a->values) == 0;
}

/* Keeps the inputs, unless there are too many different ones to name those of a fault. */
static void add_inputs(struct item *item, const struct gasan_launch_inputs *inputs) {
  if (item->input_count > GASAN_GRAPH_INPUTS)
    return;
  for (uint32_t i = 0; i < item->input_count; i++)
    if (has_same_inputs(&item->inputs[i], inputs))
      return;
  if (!item->inputs)
    item->inputs = calloc(GASAN_GRAPH_INPUTS, sizeof *item->inputs);
  if (item->inputs && item->input_count < GASAN_GRAPH_INPUTS)
    item->inputs[item->input_count] = *inputs;
  item->input_count++;
}

static struct gasan_graph_kernels *find_or_add_executable(cudaGraphExec_t exec) {
  struct gasan_graph_kernels *kernels = find_executable(exec);
  if (!kernels && (kernels = calloc(1, sizeof *kernels)))
    gasan_map_insert(&executables, &kernels->by_exec, (uintptr_t)exec);
  return kernels;
}

void gasan_graph_note_executable_kernel(struct gasan_rt_device *state, cudaGraphExec_t exec,
                                        const struct gasan_graph_kernel *kernel,
                                        const struct cudaKernelNodeParams *params) {
  struct gasan_launch_inputs inputs = {0};
  if (!gasan_module_prepare(kernel->kernel, state))
    return;
  if (params) {
    const struct gasan_launch_shape shape = {.arguments = params->kernelParams,
                                             .dynamic_shared = params->sharedMemBytes};
    gasan_launch_inputs_read(kernel->kernel, state, &shape, false, &inputs);
  }
  pthread_mutex_lock(&lock);
  struct gasan_graph_kernels *kernels = find_or_add_executable(exec);
  struct item *item = kernels ? add_kernel(kernels, kernel) : NULL;
  if (item)
    add_inputs(item, &inputs);
  pthread_mutex_unlock(&lock);
}

static void set_shape(uint32_t shape[3], dim3 dim) {
  shape[0] = dim.x;
  shape[1] = dim.y;
  shape[2] = dim.z;
}

static void note_kernel_node(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraphNode_t handle) {
  struct gasan_graph_kernel kernel = {0};
  struct cudaKernelNodeParams params;
  pthread_mutex_lock(&lock);
  const struct node *known = find_node(handle);
  if (known)
    kernel = known->kernel;
  pthread_mutex_unlock(&lock);
  const bool has_params = GASAN_REAL(cudaGraphKernelNodeGetParams)(handle, &params) == cudaSuccess;
  if (!kernel.kernel && has_params) {
    kernel.kernel = gasan_registry_kernel(params.func);
    set_shape(kernel.grid, params.gridDim);
    set_shape(kernel.block, params.blockDim);
  }
  if (kernel.kernel)
    gasan_graph_note_executable_kernel(state, exec, &kernel, has_params ? &params : NULL);
}

/* Returns a copy of a conditional node's bodies, because the walk through them takes the lock itself. */
static cudaGraph_t *bodies_of(cudaGraphNode_t handle, unsigned *count) {
  cudaGraph_t *copy = NULL;
  pthread_mutex_lock(&lock);
  const struct node *known = find_node(handle);
  *count = known ? known->body_count : 0;
  if (*count && (copy = malloc(*count * sizeof(cudaGraph_t))))
    memcpy(copy, known->bodies, *count * sizeof(cudaGraph_t));
  pthread_mutex_unlock(&lock);
  return copy;
}

void gasan_graph_note_executable(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraph_t graph) {
  size_t count;
  cudaGraphNode_t *list = get_nodes(graph, &count);
  for (size_t i = 0; list && i < count; i++) {
    enum cudaGraphNodeType type = type_of(list[i]);
    cudaGraph_t child = child_of(list[i]);
    unsigned body_count = 0;
    cudaGraph_t *bodies = type == cudaGraphNodeTypeConditional ? bodies_of(list[i], &body_count) : NULL;
    if (type == cudaGraphNodeTypeKernel)
      note_kernel_node(state, exec, list[i]);
    if (child)
      gasan_graph_note_executable(state, exec, child);
    for (unsigned b = 0; bodies && b < body_count; b++)
      gasan_graph_note_executable(state, exec, bodies[b]);
    free(bodies);
  }
  free(list);
}

void gasan_graph_forget_executable(cudaGraphExec_t exec) {
  pthread_mutex_lock(&lock);
  /* Not freed: the launch log may refer to it. */
  gasan_map_remove(&executables, (uintptr_t)exec);
  pthread_mutex_unlock(&lock);
}

const struct gasan_graph_kernels *gasan_graph_kernels(cudaGraphExec_t exec) {
  pthread_mutex_lock(&lock);
  const struct gasan_graph_kernels *kernels = exec ? find_executable(exec) : NULL;
  pthread_mutex_unlock(&lock);
  return kernels;
}

bool gasan_graph_find_kernel(const struct gasan_graph_kernels *kernels,
                             bool (*fits)(const struct gasan_graph_kernel *kernel, const void *context),
                             const void *context, struct gasan_graph_kernel *found) {
  bool any = false;
  pthread_mutex_lock(&lock);
  for (uint32_t i = 0; i < kernels->count && !any; i++)
    if ((any = fits(&kernels->items[i].kernel, context)))
      *found = kernels->items[i].kernel;
  pthread_mutex_unlock(&lock);
  return any;
}

uint32_t gasan_graph_copy_inputs(const struct gasan_graph_kernels *kernels, const struct gasan_graph_kernel *kernel,
                                 struct gasan_launch_inputs *inputs) {
  pthread_mutex_lock(&lock);
  const struct item *item = find_item(kernels, kernel);
  uint32_t count = item && item->inputs && item->input_count <= GASAN_GRAPH_INPUTS ? item->input_count : 0;
  for (uint32_t i = 0; i < count; i++) {
    inputs[i] = item->inputs[i];
    if (!inputs[i].count) /* of a node whose arguments are not known */
      count = 0;
  }
  pthread_mutex_unlock(&lock);
  return count;
}
