/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* User objects: a pointer with a destructor and a count of references. Graphs may have references. */
#include <limits.h>
#include <stdlib.h>

#include "device/cpu/api.h"
#include "device/cpu/graph.h"
#include "device/cpu/grow.h"
#include "device/cpu/handles.h"

struct CUuserObject_st {
  void *pointer;
  cudaHostFn_t destroy;
  uint64_t references;
};

void gasan_cpu_user_release(struct CUuserObject_st *object, unsigned count) {
  object->references -= count;
  if (object->references)
    return;
  cudaHostFn_t destroy = object->destroy;
  void *pointer = object->pointer;
  gasan_cpu_handle_free(object, GASAN_CPU_HANDLE_USER_OBJECT);
  destroy(pointer);
}

static struct gasan_cpu_graph_user *find(struct CUgraph_st *graph, const struct CUuserObject_st *object) {
  for (size_t i = 0; i < graph->user_count; i++)
    if (graph->users[i].object == object)
      return &graph->users[i];
  return NULL;
}

/* Records a graph's references. The object's count includes them already. */
static bool attach(struct CUgraph_st *graph, struct CUuserObject_st *object, unsigned count) {
  struct gasan_cpu_graph_user *user = find(graph, object);
  if (user) {
    user->count += count;
    return true;
  }
  if (!gasan_cpu_grow(&graph->users, graph->user_count, &graph->user_room, sizeof *graph->users))
    return false;
  graph->users[graph->user_count++] = (struct gasan_cpu_graph_user){object, count};
  return true;
}

cudaError_t gasan_cpu_graph_users_copy(struct CUgraph_st *to, const struct CUgraph_st *from) {
  for (size_t i = 0; i < from->user_count; i++) {
    if (!attach(to, from->users[i].object, 1))
      return cudaErrorMemoryAllocation;
    from->users[i].object->references++;
  }
  return cudaSuccess;
}

void gasan_cpu_graph_users_drop(struct CUgraph_st *graph) {
  for (size_t i = 0; i < graph->user_count; i++)
    gasan_cpu_user_release(graph->users[i].object, graph->users[i].count);
  free(graph->users);
}

cudaError_t gasan_cpu_cudaUserObjectCreate(cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy,
                                           unsigned references, unsigned flags) {
  if (!object || !destroy || !references || references > INT_MAX || flags != cudaUserObjectNoDestructorSync)
    return gasan_cpu_result(cudaErrorInvalidValue);
  struct CUuserObject_st *made = gasan_cpu_handle_new(sizeof *made, GASAN_CPU_HANDLE_USER_OBJECT);
  if (!made)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  *made = (struct CUuserObject_st){pointer, destroy, references};
  *object = made;
  return gasan_cpu_check();
}

static bool valid(const struct CUuserObject_st *object, unsigned count) {
  return count && count <= INT_MAX && gasan_cpu_handle_valid(object, GASAN_CPU_HANDLE_USER_OBJECT);
}

cudaError_t gasan_cpu_cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  gasan_cpu_graph_lock();
  bool known = valid(object, count);
  if (known)
    object->references += count;
  gasan_cpu_graph_unlock();
  return known ? gasan_cpu_check() : gasan_cpu_result(cudaErrorInvalidValue);
}

cudaError_t gasan_cpu_cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  gasan_cpu_graph_lock();
  bool known = valid(object, count) && object->references >= count;
  if (known)
    gasan_cpu_user_release(object, count);
  gasan_cpu_graph_unlock();
  return known ? gasan_cpu_check() : gasan_cpu_result(cudaErrorInvalidValue);
}

cudaError_t gasan_cpu_cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                                unsigned flags) {
  cudaError_t error = cudaErrorInvalidValue;
  gasan_cpu_graph_lock();
  if (valid(object, count) && gasan_cpu_handle_valid(graph, GASAN_CPU_HANDLE_GRAPH) &&
      !(flags & ~(unsigned)cudaGraphUserObjectMove) && (!flags || object->references >= count)) {
    error = attach(graph, object, count) ? cudaSuccess : cudaErrorMemoryAllocation;
    if (error == cudaSuccess && !flags) /* moved references were the caller's, so they are counted */
      object->references += count;
  }
  gasan_cpu_graph_unlock();
  return error == cudaSuccess ? gasan_cpu_check() : gasan_cpu_result(error);
}

cudaError_t gasan_cpu_cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  gasan_cpu_graph_lock();
  bool known = valid(object, count) && gasan_cpu_handle_valid(graph, GASAN_CPU_HANDLE_GRAPH);
  struct gasan_cpu_graph_user *user = known ? find(graph, object) : NULL;
  known = user && user->count >= count;
  if (known) {
    user->count -= count;
    if (!user->count)
      *user = graph->users[--graph->user_count];
    gasan_cpu_user_release(object, count);
  }
  gasan_cpu_graph_unlock();
  return known ? gasan_cpu_check() : gasan_cpu_result(cudaErrorInvalidValue);
}
