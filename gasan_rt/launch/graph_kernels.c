/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/graph_kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/core/runtime.h"

#define MOST_KERNELS 4096u /* of one executable: updates may bring ever new shapes */

struct gasan_graph_kernels {
  cudaGraphExec_t exec;
  struct gasan_graph_kernel *items;
  uint32_t count, room;
  struct gasan_graph_kernels *next;
};

struct node {
  cudaGraphNode_t handle;
  struct gasan_graph_kernel kernel; /* kernel NULL: a conditional */
  cudaGraph_t *bodies;
  unsigned body_count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gasan_graph_kernels *executables; /* that are not destroyed */
/* By hash of the handle, open addressing; handles of destroyed nodes stay until they are given again. */
static struct node *nodes;
static size_t node_count, node_slots;

static struct node *slot_of(struct node *table, size_t slots, cudaGraphNode_t handle) {
  size_t slot = (size_t)(((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 20);
  while (table[slot & (slots - 1)].handle && table[slot & (slots - 1)].handle != handle)
    slot++;
  return &table[slot & (slots - 1)];
}

static struct node *find_node(cudaGraphNode_t handle) {
  struct node *node = nodes ? slot_of(nodes, node_slots, handle) : NULL;
  return node && node->handle ? node : NULL;
}

static bool grow_nodes(void) {
  if (node_count * 2 < node_slots)
    return true;
  size_t slots = node_slots ? node_slots * 2 : 256;
  struct node *table = calloc(slots, sizeof *table);
  if (!table)
    return false;
  for (size_t i = 0; i < node_slots; i++)
    if (nodes[i].handle)
      *slot_of(table, slots, nodes[i].handle) = nodes[i];
  free(nodes);
  nodes = table;
  node_slots = slots;
  return true;
}

/* Locked. Without memory for it the node stays unknown: its report then says less. */
static void put_node(const struct node *node) {
  if (!node->handle || !grow_nodes()) {
    free(node->bodies);
    return;
  }
  struct node *slot = slot_of(nodes, node_slots, node->handle);
  if (!slot->handle)
    node_count++;
  free(slot->bodies);
  *slot = *node;
}

void gasan_graph_note_node(cudaGraphNode_t handle, const struct gasan_graph_kernel *kernel) {
  pthread_mutex_lock(&lock);
  put_node(&(struct node){.handle = handle, .kernel = *kernel});
  pthread_mutex_unlock(&lock);
}

void gasan_graph_note_captured(cudaStream_t stream, const struct gasan_graph_kernel *kernel) {
  if (!stream) /* the legacy stream cannot capture */
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
  cudaGraph_t *copy = malloc(count * sizeof(cudaGraph_t));
  if (!copy)
    return;
  memcpy(copy, bodies, count * sizeof(cudaGraph_t));
  pthread_mutex_lock(&lock);
  put_node(&(struct node){.handle = handle, .bodies = copy, .body_count = count});
  pthread_mutex_unlock(&lock);
}

/* The graph's nodes; the caller frees them. */
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
      put_node(&(struct node){.handle = to[i], .kernel = known->kernel});
    pthread_mutex_unlock(&lock);
  }
  free(from);
  free(to);
}

const struct gasan_kernel *gasan_graph_node_kernel(cudaGraphNode_t handle, const void *function, int *ordinal) {
  const struct gasan_kernel *kernel = gasan_registry_kernel(function);
  pthread_mutex_lock(&lock);
  const struct node *known = find_node(handle);
  if (!known || known->kernel.kernel != kernel) /* a handle that was given again */
    kernel = NULL;
  if (kernel)
    *ordinal = known->kernel.ordinal;
  pthread_mutex_unlock(&lock);
  return kernel;
}

/* CUDA finds a child graph's nodes in that graph's copy alone. */
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
  struct gasan_graph_kernels *kernels = executables;
  while (kernels && kernels->exec != exec)
    kernels = kernels->next;
  return kernels;
}

static bool same(const struct gasan_graph_kernel *a, const struct gasan_graph_kernel *b) {
  return a->kernel == b->kernel && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
         memcmp(a->block, b->block, sizeof a->block) == 0;
}

/* Several nodes of one kernel and shape cannot be told apart by a fault: the first one is kept. */
static void add_kernel(struct gasan_graph_kernels *kernels, const struct gasan_graph_kernel *kernel) {
  for (uint32_t i = 0; i < kernels->count; i++)
    if (same(&kernels->items[i], kernel))
      return;
  if (kernels->count == kernels->room) {
    uint32_t room = kernels->room ? kernels->room * 2 : 8;
    struct gasan_graph_kernel *items = room <= MOST_KERNELS ? realloc(kernels->items, room * sizeof *items) : NULL;
    if (!items)
      return;
    kernels->items = items;
    kernels->room = room;
  }
  kernels->items[kernels->count++] = *kernel;
}

static struct gasan_graph_kernels *the_executable(cudaGraphExec_t exec) {
  struct gasan_graph_kernels *kernels = find_executable(exec);
  if (kernels)
    return kernels;
  kernels = calloc(1, sizeof *kernels);
  if (kernels) {
    kernels->exec = exec;
    kernels->next = executables;
    executables = kernels;
  }
  return kernels;
}

void gasan_graph_note_executable_kernel(struct gasan_rt_device *state, cudaGraphExec_t exec,
                                        const struct gasan_graph_kernel *kernel) {
  if (!gasan_module_prepare(kernel->kernel, state))
    return;
  pthread_mutex_lock(&lock);
  struct gasan_graph_kernels *kernels = the_executable(exec);
  if (kernels)
    add_kernel(kernels, kernel);
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
  if (!kernel.kernel && GASAN_REAL(cudaGraphKernelNodeGetParams)(handle, &params) == cudaSuccess) {
    kernel.kernel = gasan_registry_kernel(params.func);
    set_shape(kernel.grid, params.gridDim);
    set_shape(kernel.block, params.blockDim);
  }
  if (kernel.kernel)
    gasan_graph_note_executable_kernel(state, exec, &kernel);
}

/* The bodies of a conditional node, copied, for they are walked without the lock. */
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
  struct gasan_graph_kernels **link = &executables;
  while (*link && (*link)->exec != exec)
    link = &(*link)->next;
  if (*link) /* the launch log may have it still */
    *link = (*link)->next;
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
    if ((any = fits(&kernels->items[i], context)))
      *found = kernels->items[i];
  pthread_mutex_unlock(&lock);
  return any;
}
