/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA graphs: nodes that say what to do, edges that say what comes first. An executable graph is a copy of the graph
 * that it was made from, and runs its nodes one after the other in an order that its edges allow.
 *
 * Any thread: one lock for all graphs (gasan_cpu_graph_lock), held by the callers of what is declared here unless said
 * otherwise. It is recursive, because a user object's destructor may end in a call of ours. */
#ifndef GASAN_DEVICE_CPU_GRAPH_H
#define GASAN_DEVICE_CPU_GRAPH_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gasan_cpu_edge {
  struct CUgraphNode_st *node;
  cudaGraphEdgeData data;
};

struct gasan_cpu_edges {
  struct gasan_cpu_edge *items;
  size_t count, room;
};

/* Launch attributes of a kernel node, by cudaLaunchAttributeID; those that only tune are kept and change nothing. */
#define GASAN_CPU_ATTRIBUTES 17u
struct gasan_cpu_attributes {
  uint32_t set; /* bits */
  cudaLaunchAttributeValue values[GASAN_CPU_ATTRIBUTES];
};

/* What a node does (graph_work.c). The parameters are as the program gave them, but what they point to is the work's
 * own: a kernel's arguments, a child graph, the bodies of a conditional. */
struct gasan_cpu_work {
  struct cudaGraphNodeParams params;
  void *arguments;                         /* of a kernel: pointers, then the values */
  struct gasan_cpu_attributes *attributes; /* of a kernel; NULL: none */
  struct CUgraph_st **graphs;              /* the child graph or the bodies */
  unsigned graph_count;
  struct gasan_cpu_graph_memory *memory; /* of an allocation */
};

struct CUgraphNode_st {
  struct CUgraph_st *graph;
  size_t index;          /* in its graph */
  uint64_t id, original; /* unique; that of the node that it is a copy of, 0: none */
  struct gasan_cpu_work work;
  struct gasan_cpu_edges dependencies;
  bool enabled;  /* in an executable graph */
  unsigned mark; /* of a walk */
};

struct gasan_cpu_graph_user {
  struct CUuserObject_st *object;
  unsigned count;
};

/* A value that conditional nodes look at. */
struct gasan_cpu_condition {
  cudaGraphConditionalHandle handle;
  unsigned value, initial;
  bool reset; /* to the initial value at each launch */
};

struct CUgraph_st {
  struct CUgraphNode_st **nodes;
  size_t count, room;
  struct CUgraphNode_st *owner; /* whose child graph or body it is; NULL: the program's own, or an executable's */
  uint64_t id, original;        /* unique; that of the graph that it is a copy of, 0: none */
  struct gasan_cpu_graph_user *users;
  size_t user_count, user_room;
  struct gasan_cpu_condition *conditions;
  size_t condition_count, condition_room;
  unsigned executables;          /* that were made from it and are alive */
  struct CUgraphNode_st **order; /* of an executable's graphs; NULL else */
  bool captured_into;            /* a capture owns it until it ends */
};

struct CUgraphExec_st {
  pthread_mutex_t lock; /* one run at a time; never waited for with the graphs' lock */
  unsigned runs;        /* under way or waiting for the lock */
  bool destroyed;       /* by the program: goes with the last run */
  struct CUgraph_st *graph;
  struct CUgraph_st *source; /* what it was made from, and that one's id: it may be gone */
  uint64_t source_id;
  unsigned long long flags;
};

/* graph_lock.c */
void gasan_cpu_graph_lock(void);
void gasan_cpu_graph_unlock(void);

/* graph.c */
struct CUgraph_st *gasan_cpu_graph_new(void);
void gasan_cpu_graph_drop(struct CUgraph_st *graph);
/* Adds a node. Takes over what *work owns if it succeeds. */
cudaError_t gasan_cpu_graph_add(struct CUgraph_st *graph, const struct gasan_cpu_edge *dependencies, size_t count,
                                struct gasan_cpu_work *work, struct CUgraphNode_st **node);
void gasan_cpu_graph_remove(struct CUgraphNode_st *node);
/* An edge more; cudaErrorInvalidValue: it is there already, or leads elsewhere. A circle is found when the order is
 * asked for. */
cudaError_t gasan_cpu_edge_add(struct CUgraphNode_st *from, struct CUgraphNode_st *to, cudaGraphEdgeData data);
bool gasan_cpu_edge_remove(struct CUgraphNode_st *from, struct CUgraphNode_st *to, cudaGraphEdgeData data);
/* Is `node` one of `targets`, or must it come before one of them? */
bool gasan_cpu_graph_precedes(const struct CUgraphNode_st *node, const struct gasan_cpu_edges *targets);
/* All nodes, each behind what it depends on, otherwise in the order of their birth. The caller frees it.
 * cudaErrorInvalidValue: *bad depends on itself. */
cudaError_t gasan_cpu_graph_order(struct CUgraph_st *graph, struct CUgraphNode_st ***order,
                                  struct CUgraphNode_st **bad);
/* A copy with its children. NULL: no memory. */
struct CUgraph_st *gasan_cpu_graph_copy(const struct CUgraph_st *graph);
/* Does the graph or a child of it have a node of one of these types (bits 1 << type)? */
bool gasan_cpu_graph_has(const struct CUgraph_st *graph, uint32_t types);
#define GASAN_CPU_GRAPH_MEMORY_NODES (1u << cudaGraphNodeTypeMemAlloc | 1u << cudaGraphNodeTypeMemFree)
/* The copy of `node` in a copy of its graph; NULL: there is none. */
struct CUgraphNode_st *gasan_cpu_graph_copied(struct CUgraph_st *copy, const struct CUgraphNode_st *node);

/* graph_work.c */
/* What these parameters ask for in a node of `graph`, or the error that is in them. The child of a moved graph is taken
 * over. */
cudaError_t gasan_cpu_work_make(struct gasan_cpu_work *work, struct CUgraph_st *graph,
                                const struct cudaGraphNodeParams *params);
cudaError_t gasan_cpu_work_copy(struct gasan_cpu_work *work, const struct gasan_cpu_work *from);
void gasan_cpu_work_drop(struct gasan_cpu_work *work);
const char *gasan_cpu_work_name(enum cudaGraphNodeType type);
cudaError_t gasan_cpu_work_attribute(struct gasan_cpu_work *work, cudaLaunchAttributeID id,
                                     const cudaLaunchAttributeValue *value);
bool gasan_cpu_work_cooperative(const struct gasan_cpu_work *work);
/* The value that a conditional node looks at. */
struct gasan_cpu_condition *gasan_cpu_work_condition(struct CUgraphNode_st *node);
/* A copy of `size` bytes as a copy node has it. */
struct cudaGraphNodeParams gasan_cpu_work_copy_1d(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
/* The same to and from a variable; an error is noted already. */
cudaError_t gasan_cpu_work_to_symbol(struct cudaGraphNodeParams *params, const void *symbol, const void *from,
                                     size_t size, size_t offset, enum cudaMemcpyKind kind);
cudaError_t gasan_cpu_work_from_symbol(struct cudaGraphNodeParams *params, void *to, const void *symbol, size_t size,
                                       size_t offset, enum cudaMemcpyKind kind);

/* graph_memory.c: memory of allocation nodes. Its address is fixed when the node is added; it is the program's from the
 * node's run until a free node, cudaFree or cudaFreeAsync. */
struct gasan_cpu_graph_memory *gasan_cpu_graph_memory_new(size_t size, void **address);
void gasan_cpu_graph_memory_hold(struct gasan_cpu_graph_memory *memory);
void gasan_cpu_graph_memory_release(struct gasan_cpu_graph_memory *memory);
/* False: it was not freed since the last run. */
bool gasan_cpu_graph_memory_begin(struct gasan_cpu_graph_memory *memory);
bool gasan_cpu_graph_memory_live(const struct gasan_cpu_graph_memory *memory);
/* The memory at this address ends; takes no lock of the caller's. False: it is not such memory. */
bool gasan_cpu_graph_memory_end(void *address, cudaError_t *error);
bool gasan_cpu_graph_memory_is(const void *address);

/* graph_exec.c. destroy: what runs may end first. run: the caller does not hold the lock; any pointer will do. */
cudaError_t gasan_cpu_graph_instantiate(struct CUgraph_st *graph, unsigned long long flags,
                                        struct CUgraphExec_st **exec, struct CUgraphNode_st **bad);
void gasan_cpu_graph_exec_destroy(struct CUgraphExec_st *exec);
cudaError_t gasan_cpu_graph_run(struct CUgraphExec_st *exec);

/* graph_update.c */
/* May an executable's node do this from now on, instead of what it does? */
enum cudaGraphExecUpdateResult gasan_cpu_work_may_become(const struct gasan_cpu_work *now,
                                                         const struct gasan_cpu_work *next);
/* What the executable does becomes what the graph does, or nothing changes. */
cudaGraphExecUpdateResultInfo gasan_cpu_graph_update(struct CUgraph_st *executable, struct CUgraph_st *graph);

/* graph_user.c: user objects. */
void gasan_cpu_user_release(struct CUuserObject_st *object, unsigned count);
cudaError_t gasan_cpu_graph_users_copy(struct CUgraph_st *to, const struct CUgraph_st *from);
void gasan_cpu_graph_users_drop(struct CUgraph_st *graph);

#endif
