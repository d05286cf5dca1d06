/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA graphs: nodes with work, and edges that order them. An executable graph is a copy of a graph. It runs its nodes
 * one after the other, in an order that the edges allow.
 *
 * Any thread. One lock guards all graphs (gasan_cpu_graph_lock); the caller has it unless a function says otherwise.
 * The lock is recursive, because a user object's destructor may call the API. */
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

/* Launch attributes of a kernel node, by cudaLaunchAttributeID. Attributes that only tune are stored and have no
 * effect. */
#define GASAN_CPU_ATTRIBUTES 17u
struct gasan_cpu_attributes {
  uint32_t set; /* bits */
  cudaLaunchAttributeValue values[GASAN_CPU_ATTRIBUTES];
};

/* The work of a node (graph_work.c). It contains the program's parameters, but owns the memory to which their pointers
 * point: a kernel's arguments, a child graph, the bodies of a conditional. */
struct gasan_cpu_work {
  struct cudaGraphNodeParams params;
  void *arguments;                         /* of a kernel: pointers to the values, then the values */
  struct gasan_cpu_attributes *attributes; /* of a kernel; NULL: none */
  struct CUgraph_st **graphs;              /* the child graph or the bodies */
  unsigned graph_count;
  struct gasan_cpu_graph_memory *memory; /* of an allocation */
};

struct CUgraphNode_st {
  struct CUgraph_st *graph;
  size_t index;          /* in its graph */
  uint64_t id, original; /* a unique number; the number of the node of which it is a copy, 0: none */
  struct gasan_cpu_work work;
  struct gasan_cpu_edges dependencies;
  bool enabled;  /* in an executable graph */
  unsigned mark; /* used by walks (graph.c) */
};

struct gasan_cpu_graph_user {
  struct CUuserObject_st *object;
  unsigned count;
};

/* The value of a conditional handle. */
struct gasan_cpu_condition {
  cudaGraphConditionalHandle handle;
  unsigned value, initial;
  bool reset; /* each launch sets the initial value */
};

struct CUgraph_st {
  struct CUgraphNode_st **nodes;
  size_t count, room;
  struct CUgraphNode_st *owner; /* the node with this child graph or body; NULL: a graph of the program or executable */
  uint64_t id, original;        /* a unique number; the number of the graph of which it is a copy, 0: none */
  struct gasan_cpu_graph_user *users;
  size_t user_count, user_room;
  struct gasan_cpu_condition *conditions;
  size_t condition_count, condition_room;
  unsigned executables;          /* live executables made from it */
  struct CUgraphNode_st **order; /* of the nodes, in an executable; otherwise NULL */
  bool captured_into;            /* a capture owns the graph until the capture ends */
};

struct CUgraphExec_st {
  pthread_mutex_t lock; /* one run at a time; taken without the graphs' lock */
  unsigned runs;        /* runs that are executing or wait for the lock */
  bool destroyed;       /* by the program; the last run frees the executable */
  struct CUgraph_st *graph;
  struct CUgraph_st *source; /* the graph from which it was made, which may be freed, and that graph's id */
  uint64_t source_id;
  unsigned long long flags;
};

/* graph_lock.c */
void gasan_cpu_graph_lock(void);
void gasan_cpu_graph_unlock(void);

/* graph.c */

/* Returns a new, empty graph. NULL: no memory. */
struct CUgraph_st *gasan_cpu_graph_new(void);
/* Frees a graph with its nodes. */
void gasan_cpu_graph_drop(struct CUgraph_st *graph);
/* Adds a node. On success, the node owns the work, and *work is empty. */
cudaError_t gasan_cpu_graph_add(struct CUgraph_st *graph, const struct gasan_cpu_edge *dependencies, size_t count,
                                struct gasan_cpu_work *work, struct CUgraphNode_st **node);
/* Removes a node with its edges, and frees it. */
void gasan_cpu_graph_remove(struct CUgraphNode_st *node);
/* Adds an edge. cudaErrorInvalidValue: the edge exists already, or the nodes are in different graphs. Does not detect
 * cycles; gasan_cpu_graph_order does. */
cudaError_t gasan_cpu_edge_add(struct CUgraphNode_st *from, struct CUgraphNode_st *to, cudaGraphEdgeData data);
/* Removes an edge. Returns false if there is no edge with this data. */
bool gasan_cpu_edge_remove(struct CUgraphNode_st *from, struct CUgraphNode_st *to, cudaGraphEdgeData data);
/* Returns true if `node` is one of `targets` or must come before one of them. */
bool gasan_cpu_graph_precedes(const struct CUgraphNode_st *node, const struct gasan_cpu_edges *targets);
/* Sets *order to all nodes, each after its dependencies, otherwise in the order in which they were added. The caller
 * frees *order. cudaErrorInvalidValue: *bad depends on itself. */
cudaError_t gasan_cpu_graph_order(struct CUgraph_st *graph, struct CUgraphNode_st ***order,
                                  struct CUgraphNode_st **bad);
/* Returns a copy of a graph with its child graphs. NULL: no memory. */
struct CUgraph_st *gasan_cpu_graph_copy(const struct CUgraph_st *graph);
/* Returns true if the graph or a child graph has a node of one of these types (bits 1 << type). */
bool gasan_cpu_graph_has(const struct CUgraph_st *graph, uint32_t types);
#define GASAN_CPU_GRAPH_MEMORY_NODES (1u << cudaGraphNodeTypeMemAlloc | 1u << cudaGraphNodeTypeMemFree)
/* Returns the copy of `node` in a copy of its graph. NULL: there is none. */
struct CUgraphNode_st *gasan_cpu_graph_copied(struct CUgraph_st *copy, const struct CUgraphNode_st *node);

/* graph_work.c */

/* Makes the work of a node of `graph` from its parameters, or returns the parameters' error. A child graph that is
 * moved then belongs to the work. */
cudaError_t gasan_cpu_work_make(struct gasan_cpu_work *work, struct CUgraph_st *graph,
                                const struct cudaGraphNodeParams *params);
/* Makes a copy of work. */
cudaError_t gasan_cpu_work_copy(struct gasan_cpu_work *work, const struct gasan_cpu_work *from);
/* Frees the memory that the work owns, and empties the work. */
void gasan_cpu_work_drop(struct gasan_cpu_work *work);
/* Returns the name of a node type, for cudaGraphDebugDotPrint. */
const char *gasan_cpu_work_name(enum cudaGraphNodeType type);
/* Sets a launch attribute of a kernel. */
cudaError_t gasan_cpu_work_attribute(struct gasan_cpu_work *work, cudaLaunchAttributeID id,
                                     const cudaLaunchAttributeValue *value);
/* Returns true if a kernel's launch is cooperative. */
bool gasan_cpu_work_cooperative(const struct gasan_cpu_work *work);
/* Returns the condition of a conditional node. */
struct gasan_cpu_condition *gasan_cpu_work_condition(struct CUgraphNode_st *node);
/* Returns the parameters of a node that copies `size` bytes. */
struct cudaGraphNodeParams gasan_cpu_work_copy_1d(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
/* Make the parameters of a node that copies to or from a variable. Note an error. */
cudaError_t gasan_cpu_work_to_symbol(struct cudaGraphNodeParams *params, const void *symbol, const void *from,
                                     size_t size, size_t offset, enum cudaMemcpyKind kind);
cudaError_t gasan_cpu_work_from_symbol(struct cudaGraphNodeParams *params, void *to, const void *symbol, size_t size,
                                       size_t offset, enum cudaMemcpyKind kind);

/* graph_memory.c: the memory of allocation nodes. The address is fixed when the node is added. The memory is live from
 * the node's run until a free node, cudaFree or cudaFreeAsync frees it. */

/* Makes memory with one reference. NULL: no memory. */
struct gasan_cpu_graph_memory *gasan_cpu_graph_memory_new(size_t size, void **address);
/* Add and remove a reference. The memory is freed when it has no reference and is not live. */
void gasan_cpu_graph_memory_hold(struct gasan_cpu_graph_memory *memory);
void gasan_cpu_graph_memory_release(struct gasan_cpu_graph_memory *memory);
/* Makes the memory live. Returns false if it was not freed since the last run. */
bool gasan_cpu_graph_memory_begin(struct gasan_cpu_graph_memory *memory);
bool gasan_cpu_graph_memory_live(const struct gasan_cpu_graph_memory *memory);
/* Frees the memory at this address, and sets *error. Locks the graphs' lock. Returns false if no node allocated the
 * memory. */
bool gasan_cpu_graph_memory_end(void *address, cudaError_t *error);
/* Returns true if a node allocates memory at this address. */
bool gasan_cpu_graph_memory_is(const void *address);

/* graph_exec.c */

/* Makes an executable of a graph. cudaErrorInvalidValue: *bad depends on itself. */
cudaError_t gasan_cpu_graph_instantiate(struct CUgraph_st *graph, unsigned long long flags,
                                        struct CUgraphExec_st **exec, struct CUgraphNode_st **bad);
/* Destroys an executable, after the runs that are executing. */
void gasan_cpu_graph_exec_destroy(struct CUgraphExec_st *exec);
/* Runs an executable. Locks the graphs' lock. `exec` may be any pointer. */
cudaError_t gasan_cpu_graph_run(struct CUgraphExec_st *exec);

/* graph_update.c */

/* Returns whether the work of an executable's node may be changed to `next`. */
enum cudaGraphExecUpdateResult gasan_cpu_work_may_become(const struct gasan_cpu_work *now,
                                                         const struct gasan_cpu_work *next);
/* Copies the work of the graph's nodes to the executable's nodes. After an error, nothing has changed. */
cudaGraphExecUpdateResultInfo gasan_cpu_graph_update(struct CUgraph_st *executable, struct CUgraph_st *graph);

/* graph_user.c: user objects. */

/* Removes references of a user object. Its destructor runs when the last reference is removed. */
void gasan_cpu_user_release(struct CUuserObject_st *object, unsigned count);
/* copy adds, for a graph, a reference to each user object of another graph; the other function removes all of a graph's
 * references. */
cudaError_t gasan_cpu_graph_users_copy(struct CUgraph_st *to, const struct CUgraph_st *from);
void gasan_cpu_graph_users_drop(struct CUgraph_st *graph);

#endif
