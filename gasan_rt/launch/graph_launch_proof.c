/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/graph_launch_proof.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/launch/graph_kernels.h"
#include "gasan_rt/launch/launch_proof.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/device_bounds.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* A kernel node of the clone, and what the proven executable runs for it. */
struct node {
  cudaGraphNode_t handle;
  const struct gasan_kernel *kernel;  /* NULL: the program has set it to one that is not known */
  struct cudaKernelNodeParams params; /* the program's; the clone owns the arguments */
  bool changed;                       /* the proven executable has other ones */
  bool refused;                       /* CUDA does not take a variant here */
  enum gasan_proof_variant variant;   /* in the proven executable */
  bool looks_up;
  uint32_t hidden_count;
  uint64_t *hidden; /* the variant's own arguments */
};

/* A pointer that proofs asked for, and what they got. */
struct root {
  uint64_t pointer;
  struct gasan_bounds bounds;
};

struct gasan_graph_launch_proof {
  cudaGraphExec_t exec; /* the program's */
  struct gasan_rt_device *state;
  pthread_mutex_t lock;        /* for all below */
  cudaGraph_t clone;           /* NULL: no node can run a variant */
  cudaGraphExec_t proven_exec; /* NULL: no node runs one */
  struct node *nodes;          /* by handle; without a clone, only their kernels */
  uint32_t count, room;
  uint32_t variants, proven; /* nodes that run one, and one without checks */
  bool any_changed;
  bool switched;      /* nodes may be off, and stay so through updates: a clone's are on */
  bool others;        /* it has kernels that are not among the nodes */
  bool looks_up;      /* the proven executable reads the device's tables */
  struct root *roots; /* of all nodes, and maybe of what they were before */
  uint32_t root_count, root_room, most_roots;
  bool roots_known; /* they are all there, with the bounds that all was proven with */
  /* What all was proven with. */
  bool valid, home_mattered;
  uint64_t epoch, proof_epoch;
  cudaStream_t stream;         /* of the latest launch */
  cudaGraphExec_t launched;    /* in it; NULL: there was none */
  uint64_t since_update;       /* launches */
  uint64_t runs, variant_runs; /* that launch_proof.c does not count yet */
  struct gasan_map_entry by_exec;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
GASAN_MAP(executables, 8); /* by their handles */
static _Atomic uint64_t launches, proven_launches, proofs, changes, refusals, lost;

static uint64_t key_of(cudaGraphExec_t exec) {
  return (uint64_t)(uintptr_t)exec;
}

static struct gasan_graph_launch_proof *find(cudaGraphExec_t exec) {
  pthread_mutex_lock(&lock);
  struct gasan_graph_launch_proof *proof =
      GASAN_MAP_OWNER(gasan_map_find(&executables, key_of(exec)), struct gasan_graph_launch_proof, by_exec);
  pthread_mutex_unlock(&lock);
  return proof;
}

/* Tells launch_proof.c what ran with the variants that nodes have now. */
static void count_runs(struct gasan_graph_launch_proof *proof) {
  uint64_t runs = proof->runs, variant_runs = proof->variant_runs;
  proof->runs = proof->variant_runs = 0;
  for (uint32_t i = 0; (runs || variant_runs) && i < proof->count; i++) {
    const struct node *node = &proof->nodes[i];
    if (!node->kernel)
      continue;
    if (runs)
      gasan_launch_proof_count_in_graph(node->kernel, proof->state, GASAN_VARIANT_FULL, runs);
    if (variant_runs)
      gasan_launch_proof_count_in_graph(node->kernel, proof->state, node->variant, variant_runs);
  }
}

static bool succeeds(cudaError_t error, cudaError_t waiting) {
  if (error != cudaSuccess)
    gasan_forget_error(waiting);
  return error == cudaSuccess;
}
#define TRY(call)                                                                                                      \
  ({                                                                                                                   \
    cudaError_t waiting_ = gasan_waiting_error();                                                                      \
    succeeds((call), waiting_);                                                                                        \
  })

static void drop_proven(struct gasan_graph_launch_proof *proof) {
  count_runs(proof);
  if (proof->proven_exec)
    TRY(GASAN_REAL(cudaGraphExecDestroy)(proof->proven_exec));
  proof->proven_exec = NULL;
  proof->valid = false;
  proof->variants = proof->proven = 0;
  for (uint32_t i = 0; i < proof->count; i++)
    proof->nodes[i].variant = GASAN_VARIANT_FULL;
}

static void drop_clone(struct gasan_graph_launch_proof *proof) {
  drop_proven(proof);
  if (proof->clone)
    TRY(GASAN_REAL(cudaGraphDestroy)(proof->clone));
  proof->clone = NULL;
}

static void drop_nodes(struct gasan_graph_launch_proof *proof) {
  for (uint32_t i = 0; i < proof->count; i++)
    free(proof->nodes[i].hidden);
  proof->count = 0;
  proof->others = false;
}

static void free_proof(struct gasan_graph_launch_proof *proof) {
  drop_clone(proof);
  drop_nodes(proof);
  free(proof->nodes);
  free(proof->roots);
  free(proof);
}

/* Nodes whose memory nobody knows, and those of which CUDA has only one. */
static bool is_cloneable(enum cudaGraphNodeType type) {
  return type != cudaGraphNodeTypeMemAlloc && type != cudaGraphNodeTypeMemFree &&
         type != cudaGraphNodeTypeConditional && type < cudaGraphNodeTypeCount;
}

struct survey {
  struct gasan_graph_launch_proof *proof;
  bool cloneable;
};

static void add_node(struct gasan_graph_launch_proof *proof, cudaGraphNode_t handle) {
  struct node node = {.handle = handle};
  int ordinal;
  if (!TRY(GASAN_REAL(cudaGraphKernelNodeGetParams)(handle, &node.params)) || node.params.extra ||
      !(node.kernel = gasan_graph_node_kernel(handle, node.params.func, &ordinal)) ||
      ordinal != proof->state->device->ordinal || !gasan_launch_proof_has_variants(node.kernel, proof->state)) {
    proof->others = true;
    return;
  }
  if (proof->count == proof->room) {
    uint32_t room = proof->room ? proof->room * 2 : 8;
    struct node *nodes = realloc(proof->nodes, room * sizeof *nodes);
    if (!nodes) {
      proof->others = true;
      return;
    }
    proof->nodes = nodes;
    proof->room = room;
  }
  proof->nodes[proof->count++] = node;
}

static void visit(cudaGraphNode_t node, enum cudaGraphNodeType type, void *context) {
  struct survey *survey = context;
  if (type == cudaGraphNodeTypeKernel)
    add_node(survey->proof, node);
  survey->cloneable = survey->cloneable && is_cloneable(type);
}

static int by_handle(const void *a, const void *b) {
  uintptr_t left = (uintptr_t)((const struct node *)a)->handle, right = (uintptr_t)((const struct node *)b)->handle;
  return left < right ? -1 : left > right;
}

static struct node *find_node(struct gasan_graph_launch_proof *proof, cudaGraphNode_t handle) {
  struct node key = {.handle = handle};
  return proof->count ? bsearch(&key, proof->nodes, proof->count, sizeof key, by_handle) : NULL;
}

/* Takes the graph's kernels over. */
static void survey_graph(struct gasan_graph_launch_proof *proof, cudaGraph_t graph, bool may_clone) {
  struct survey survey = {proof, may_clone};
  gasan_graph_each_node(graph, visit, &survey);
  if (!survey.cloneable || !proof->count || !TRY(GASAN_REAL(cudaGraphClone)(&proof->clone, graph))) {
    proof->clone = NULL;
    return;
  }
  gasan_graph_note_copy(proof->clone, graph);
  drop_nodes(proof);
  gasan_graph_each_node(proof->clone, visit, &survey);
  if (proof->count)
    qsort(proof->nodes, proof->count, sizeof *proof->nodes, by_handle);
}

/* Executables that are launched by a kernel, or through another context, are left alone. */
static bool flags_of(cudaGraphExec_t exec, unsigned long long *flags) {
  return TRY(GASAN_REAL(cudaGraphExecGetFlags)(exec, flags)) && !(*flags & cudaGraphInstantiateFlagDeviceLaunch);
}

void gasan_graph_launch_proof_made(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraph_t graph) {
  gasan_graph_launch_proof_forget(exec); /* one that was destroyed past us */
  if (!gasan_options()->graph_proof)
    return;
  struct gasan_graph_launch_proof *proof = calloc(1, sizeof *proof);
  if (!proof)
    return;
  *proof = (struct gasan_graph_launch_proof){.exec = exec, .state = state};
  unsigned long long flags;
  survey_graph(proof, graph, flags_of(exec, &flags));
  if (!proof->count) {
    free_proof(proof);
    return;
  }
  pthread_mutex_init(&proof->lock, NULL);
  pthread_mutex_lock(&lock);
  gasan_map_insert(&executables, &proof->by_exec, key_of(exec));
  pthread_mutex_unlock(&lock);
}

void gasan_graph_launch_proof_forget(cudaGraphExec_t exec) {
  pthread_mutex_lock(&lock);
  struct gasan_graph_launch_proof *proof =
      GASAN_MAP_OWNER(gasan_map_remove(&executables, key_of(exec)), struct gasan_graph_launch_proof, by_exec);
  pthread_mutex_unlock(&lock);
  if (!proof)
    return;
  pthread_mutex_destroy(&proof->lock);
  free_proof(proof);
}

/* What is launched once is not worth a proven executable, and what is updated at each launch not that of a clone. */
#define LAUNCHES_BEFORE_PROVEN 1u
#define LAUNCHES_AN_UPDATE 2u

void gasan_graph_launch_proof_updated(cudaGraphExec_t exec, cudaGraph_t graph) {
  struct gasan_graph_launch_proof *proof = find(exec);
  if (!proof)
    return;
  pthread_mutex_lock(&proof->lock);
  unsigned long long flags;
  drop_clone(proof);
  drop_nodes(proof);
  survey_graph(proof, graph, !proof->switched && proof->since_update >= LAUNCHES_AN_UPDATE && flags_of(exec, &flags));
  proof->since_update = 0;
  pthread_mutex_unlock(&proof->lock);
}

static void stop_proving(struct gasan_graph_launch_proof *proof) {
  if (proof->clone)
    atomic_fetch_add(&lost, 1);
  drop_clone(proof);
}

void gasan_graph_launch_proof_lost(cudaGraphExec_t exec) {
  struct gasan_graph_launch_proof *proof = find(exec);
  if (!proof)
    return;
  pthread_mutex_lock(&proof->lock);
  stop_proving(proof);
  pthread_mutex_unlock(&proof->lock);
}

void gasan_graph_launch_proof_switched(cudaGraphExec_t exec) {
  struct gasan_graph_launch_proof *proof = find(exec);
  if (!proof)
    return;
  pthread_mutex_lock(&proof->lock);
  proof->switched = true;
  stop_proving(proof);
  pthread_mutex_unlock(&proof->lock);
}

bool gasan_graph_launch_proof_follow(cudaGraphExec_t exec, cudaGraphNode_t node, struct gasan_graph_change *change) {
  struct gasan_graph_launch_proof *proof = find(exec);
  if (!proof)
    return false;
  pthread_mutex_lock(&proof->lock);
  *change = (struct gasan_graph_change){.proof = proof, .exec = proof->proven_exec, .waiting = gasan_waiting_error()};
  if (!proof->clone) {
    pthread_mutex_unlock(&proof->lock);
    return false;
  }
  change->node = gasan_graph_find_in_clone(proof->clone, node);
  if (change->node)
    return true;
  gasan_graph_launch_proof_followed(change, false);
  return false;
}

void gasan_graph_launch_proof_followed(const struct gasan_graph_change *change, bool done) {
  gasan_forget_error(change->waiting);
  if (!done)
    stop_proving(change->proof);
  pthread_mutex_unlock(&change->proof->lock);
}

/* The proven executable's node follows when it is proven. */
static bool note_change(struct gasan_graph_launch_proof *proof, struct node *node, const struct gasan_kernel *kernel) {
  if (GASAN_REAL(cudaGraphKernelNodeGetParams)(node->handle, &node->params) != cudaSuccess || node->params.extra)
    return false;
  count_runs(proof);
  node->kernel = kernel;
  node->changed = proof->any_changed = true;
  return true;
}

void gasan_graph_launch_proof_changed_kernel(cudaGraphExec_t exec, cudaGraphNode_t changed,
                                             const struct cudaKernelNodeParams *params) {
  struct gasan_graph_change change;
  if (!gasan_graph_launch_proof_follow(exec, changed, &change))
    return;
  struct node *node = find_node(change.proof, change.node);
  bool done = GASAN_REAL(cudaGraphKernelNodeSetParams)(change.node, params) == cudaSuccess;
  if (done && node)
    done = note_change(change.proof, node, gasan_registry_kernel(params->func));
  else if (done && change.exec)
    done = GASAN_REAL(cudaGraphExecKernelNodeSetParams)(change.exec, change.node, params) == cudaSuccess;
  gasan_graph_launch_proof_followed(&change, done);
}

static bool make_proven(struct gasan_graph_launch_proof *proof) {
  unsigned long long flags;
  if (proof->proven_exec)
    return true;
  if (!flags_of(proof->exec, &flags) ||
      !TRY(GASAN_REAL(cudaGraphInstantiate)(&proof->proven_exec, proof->clone,
                                            flags & cudaGraphInstantiateFlagUseNodePriority))) {
    proof->proven_exec = NULL;
    return false;
  }
  for (uint32_t i = 0; i < proof->count; i++)
    proof->nodes[i].changed = false;
  return true;
}

static bool set(struct gasan_graph_launch_proof *proof, struct node *node, const void *function, void **arguments) {
  struct cudaKernelNodeParams params = node->params;
  params.func = (void *)(uintptr_t)function;
  params.kernelParams = arguments;
  atomic_fetch_add(&changes, 1);
  return TRY(GASAN_REAL(cudaGraphExecKernelNodeSetParams)(proof->proven_exec, node->handle, &params));
}

static bool is_proof(enum gasan_proof_variant variant) {
  return variant == GASAN_VARIANT_PROVEN || variant == GASAN_VARIANT_BOUNDED;
}

static void note_variant(struct gasan_graph_launch_proof *proof, struct node *node, enum gasan_proof_variant variant,
                         bool looks_up) {
  proof->variants += (variant != GASAN_VARIANT_FULL) - (node->variant != GASAN_VARIANT_FULL);
  proof->proven += is_proof(variant) - is_proof(node->variant);
  node->variant = variant;
  node->looks_up = looks_up;
  node->changed = false;
}

static bool has_hidden(const struct node *node, const struct gasan_variant_launch *launch) {
  return node->variant == launch->variant && node->hidden_count == launch->hidden_count &&
         memcmp(node->hidden, launch->hidden, launch->hidden_count * sizeof *node->hidden) == 0;
}

static bool set_hidden(struct node *node, const struct gasan_variant_launch *launch) {
  uint64_t *hidden = realloc(node->hidden, (launch->hidden_count + 1) * sizeof *hidden);
  if (!hidden)
    return false;
  node->hidden = hidden;
  node->hidden_count = launch->hidden_count;
  memcpy(hidden, launch->hidden, launch->hidden_count * sizeof *hidden);
  return true;
}

static void shape_of(const struct node *node, cudaStream_t stream, uint32_t grid[3], uint32_t block[3],
                     struct gasan_launch_shape *shape) {
  const struct cudaKernelNodeParams *params = &node->params;
  memcpy(grid, (uint32_t[]){params->gridDim.x, params->gridDim.y, params->gridDim.z}, 3 * sizeof *grid);
  memcpy(block, (uint32_t[]){params->blockDim.x, params->blockDim.y, params->blockDim.z}, 3 * sizeof *block);
  *shape = (struct gasan_launch_shape){grid, block, params->sharedMemBytes, params->kernelParams, stream, true};
}

/* Makes the proven executable's node run the variant for it. False: CUDA does not let us, or there is to be a proven
 * executable and none to be had. */
static bool prove_node(struct gasan_graph_launch_proof *proof, struct node *node, cudaStream_t stream) {
  struct gasan_variant_launch launch;
  struct gasan_launch_shape shape;
  uint32_t grid[3], block[3];
  shape_of(node, stream, grid, block, &shape);
  bool varies =
      node->kernel && !node->refused && gasan_launch_proof_choose(node->kernel, proof->state, &shape, &launch);
  if (varies && !make_proven(proof))
    return false;
  if (varies && !node->changed && has_hidden(node, &launch))
    return true;
  if (varies && set_hidden(node, &launch) && set(proof, node, launch.function, launch.passed)) {
    note_variant(proof, node, launch.variant, launch.looks_up);
    return true;
  }
  if (varies) {
    node->refused = true;
    atomic_fetch_add(&refusals, 1);
  }
  if (!proof->proven_exec || (node->variant == GASAN_VARIANT_FULL && !node->changed))
    return true;
  if (!set(proof, node, node->params.func, node->params.kernelParams))
    return false;
  note_variant(proof, node, GASAN_VARIANT_FULL, true);
  return true;
}

/* Proves all nodes, or those alone that have changed. */
static void prove(struct gasan_graph_launch_proof *proof, cudaStream_t stream, bool all) {
  count_runs(proof);
  atomic_fetch_add(&proofs, 1);
  proof->any_changed = false;
  proof->looks_up = proof->others;
  for (uint32_t i = 0; i < proof->count; i++) {
    struct node *node = &proof->nodes[i];
    if ((all || node->changed) && !prove_node(proof, node, stream)) {
      stop_proving(proof);
      return;
    }
    proof->looks_up = proof->looks_up || node->variant == GASAN_VARIANT_FULL || node->looks_up;
  }
}

static int by_pointer(const void *a, const void *b) {
  uint64_t left = ((const struct root *)a)->pointer, right = ((const struct root *)b)->pointer;
  return left < right ? -1 : left > right;
}

#define NODE_ROOTS 64u

static bool add_roots(struct gasan_graph_launch_proof *proof, const struct node *node, cudaStream_t stream) {
  uint64_t pointers[NODE_ROOTS];
  struct gasan_launch_shape shape;
  uint32_t count, grid[3], block[3];
  shape_of(node, stream, grid, block, &shape);
  if (!node->kernel)
    return true;
  if (!gasan_launch_proof_roots(node->kernel, proof->state, &shape, pointers, NODE_ROOTS, &count))
    return false;
  if (proof->root_count + count > proof->root_room) {
    uint32_t room = proof->root_room * 2 + NODE_ROOTS;
    struct root *roots = realloc(proof->roots, room * sizeof *roots);
    if (!roots)
      return false;
    proof->roots = roots;
    proof->root_room = room;
  }
  for (uint32_t i = 0; i < count; i++)
    proof->roots[proof->root_count++].pointer = pointers[i];
  return true;
}

static void look_up(struct gasan_graph_launch_proof *proof, uint32_t from) {
  for (uint32_t i = from; i < proof->root_count; i++)
    proof->roots[i].bounds = gasan_lookup_bounds(proof->state, proof->roots[i].pointer);
}

static void sort_roots(struct gasan_graph_launch_proof *proof) {
  uint32_t kept = 0;
  if (proof->root_count)
    qsort(proof->roots, proof->root_count, sizeof *proof->roots, by_pointer);
  for (uint32_t i = 0; i < proof->root_count; i++)
    if (!kept || proof->roots[kept - 1].pointer != proof->roots[i].pointer)
      proof->roots[kept++] = proof->roots[i];
  proof->root_count = kept;
}

/* Before all nodes are proven, or those that have changed, whose roots come behind the others. False: not all roots are
 * known. */
static bool find_roots(struct gasan_graph_launch_proof *proof, cudaStream_t stream, bool all) {
  uint32_t before = all ? 0 : proof->root_count;
  if (!all && (!proof->roots_known || proof->root_count > proof->most_roots))
    return false;
  proof->root_count = before;
  for (uint32_t i = 0; i < proof->count; i++)
    if ((all || proof->nodes[i].changed) && !add_roots(proof, &proof->nodes[i], stream))
      return false;
  if (all) {
    sort_roots(proof);
    proof->most_roots = 2 * proof->root_count + NODE_ROOTS;
  }
  look_up(proof, before);
  return true;
}

/* What was allocated and freed is other memory. */
static bool roots_are_same(const struct gasan_graph_launch_proof *proof) {
  for (uint32_t i = 0; i < proof->root_count; i++) {
    const struct root *root = &proof->roots[i];
    struct gasan_bounds bounds = gasan_lookup_bounds(proof->state, root->pointer);
    if (bounds.base != root->bounds.base || bounds.size != root->bounds.size || bounds.object != root->bounds.object)
      return false;
  }
  return proof->roots_known;
}

/* Sees to it that the proven executable runs nothing that is not proven now. */
static void make_valid(struct gasan_graph_launch_proof *proof, cudaStream_t stream) {
  if (!gasan_ok(gasan_lookup_upload(proof->state))) { /* which the proof asks, too */
    drop_proven(proof);
    return;
  }
  uint64_t epoch = gasan_lookup_epoch(proof->state), proof_epoch = gasan_launch_proof_epoch();
  bool home_matters = gasan_allocation_stream_matters(stream);
  bool same = proof->valid && proof->proof_epoch == proof_epoch && !proof->home_mattered && !home_matters;
  same = same && (proof->epoch == epoch || roots_are_same(proof));
  if (!same || proof->any_changed) {
    bool found = find_roots(proof, stream, !same);
    prove(proof, stream, !same);
    proof->roots_known = found && epoch == gasan_lookup_epoch(proof->state);
  }
  proof->valid = true;
  proof->epoch = epoch;
  proof->proof_epoch = proof_epoch;
  proof->home_mattered = home_matters;
}

/* CUDA runs what an executable was launched for one after the other, in whichever streams; between the two it is for us
 * to do. */
static cudaGraphExec_t in_order(struct gasan_graph_launch_proof *proof, cudaGraphExec_t wanted, cudaStream_t stream) {
  bool is_behind = proof->stream == stream && stream != cudaStreamPerThread; /* which is another one in each thread */
  if (proof->launched && proof->launched != wanted && !is_behind && !gasan_capture_active())
    TRY(GASAN_REAL(cudaDeviceSynchronize)());
  proof->launched = wanted;
  proof->stream = stream;
  return wanted;
}

cudaGraphExec_t gasan_graph_launch_proof_choose(struct gasan_rt_device *state, cudaGraphExec_t exec,
                                                cudaStream_t stream, bool *looks_up) {
  struct gasan_graph_launch_proof *proof = find(exec);
  *looks_up = true;
  if (!proof)
    return exec;
  pthread_mutex_lock(&proof->lock);
  /* Making the proven executable takes memory, which would spoil a capture. */
  bool may_be_proven = proof->clone && proof->state == state && proof->since_update >= LAUNCHES_BEFORE_PROVEN &&
                       (proof->proven_exec || !gasan_capture_forbids());
  if (may_be_proven)
    make_valid(proof, stream);
  bool varies = may_be_proven && proof->proven_exec && proof->variants, proven = varies && proof->proven;
  cudaGraphExec_t chosen = in_order(proof, varies ? proof->proven_exec : exec, stream);
  *looks_up = !varies || proof->looks_up;
  proof->since_update++;
  proof->runs += !varies;
  proof->variant_runs += varies;
  atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&proven_launches, proven, memory_order_relaxed);
  pthread_mutex_unlock(&proof->lock);
  return chosen;
}

void gasan_graph_launch_proof_refused(cudaGraphExec_t exec) {
  struct gasan_graph_launch_proof *proof = find(exec);
  if (!proof)
    return;
  pthread_mutex_lock(&proof->lock);
  proof->variant_runs--;
  proof->runs++;
  atomic_fetch_sub(&proven_launches, proof->proven > 0);
  stop_proving(proof);
  pthread_mutex_unlock(&proof->lock);
}

static void count_entry(struct gasan_map_entry *entry) {
  struct gasan_graph_launch_proof *proof = GASAN_MAP_OWNER(entry, struct gasan_graph_launch_proof, by_exec);
  pthread_mutex_lock(&proof->lock);
  count_runs(proof);
  pthread_mutex_unlock(&proof->lock);
}

void gasan_graph_launch_proof_count(void) {
  pthread_mutex_lock(&lock);
  gasan_map_each(&executables, count_entry);
  pthread_mutex_unlock(&lock);
}

void gasan_graph_launch_proof_print_stats(void) {
  if (!atomic_load(&launches))
    return;
  gasan_printf(
      "Stats: graphs: %llu launches, %llu of them with proven kernels, by %llu proofs and %llu changes of kernel nodes",
      (unsigned long long)atomic_load(&launches), (unsigned long long)atomic_load(&proven_launches),
      (unsigned long long)atomic_load(&proofs), (unsigned long long)atomic_load(&changes));
  if (atomic_load(&refusals))
    gasan_printf(", %llu nodes refused by CUDA", (unsigned long long)atomic_load(&refusals));
  if (atomic_load(&lost))
    gasan_printf(", %llu executables changed in a way that was not followed", (unsigned long long)atomic_load(&lost));
  gasan_printf("\n");
}
