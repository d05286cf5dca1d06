/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/graph_launch_proof.h"

#include <stdlib.h>

#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/launch/graph_kernels.h"
#include "gasan_rt/launch/graph_proof.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/device_bounds.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* By their handles. */
GASAN_MAP(executables, 8);

static uint64_t key_of(cudaGraphExec_t exec) {
  return (uint64_t)(uintptr_t)exec;
}

static struct gasan_graph_launch_proof *find_proof(cudaGraphExec_t exec) {
  pthread_mutex_lock(&lock);
  struct gasan_graph_launch_proof *proof =
      GASAN_MAP_OWNER(gasan_map_find(&executables, key_of(exec)), struct gasan_graph_launch_proof, by_exec);
  pthread_mutex_unlock(&lock);
  return proof;
}

static void free_proof(struct gasan_graph_launch_proof *proof) {
  gasan_graph_proof_drop_clone(proof);
  gasan_graph_proof_drop_nodes(proof);
  free(proof->nodes);
  free(proof->roots);
  free(proof);
}

void gasan_graph_launch_proof_made(struct gasan_rt_device *state, cudaGraphExec_t exec, cudaGraph_t graph) {
  /* An earlier executable of this handle may have been destroyed by a call that is not intercepted. */
  gasan_graph_launch_proof_forget(exec);
  if (!gasan_options()->graph_proof)
    return;
  struct gasan_graph_launch_proof *proof = calloc(1, sizeof *proof);
  if (!proof)
    return;
  *proof = (struct gasan_graph_launch_proof){.exec = exec, .state = state};
  unsigned long long flags;
  gasan_graph_proof_survey(proof, graph, gasan_graph_proof_takes(exec, &flags));
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

/* The least number of launches since the last update. A proven executable does not pay for an executable that is
 * launched once, nor a clone for an executable that is updated after each launch. */
#define LAUNCHES_BEFORE_PROVEN 1u
#define LAUNCHES_AN_UPDATE 2u

void gasan_graph_launch_proof_updated(cudaGraphExec_t exec, cudaGraph_t graph) {
  struct gasan_graph_launch_proof *proof = find_proof(exec);
  if (!proof)
    return;
  pthread_mutex_lock(&proof->lock);
  unsigned long long flags;
  gasan_graph_proof_drop_clone(proof);
  gasan_graph_proof_drop_nodes(proof);
  gasan_graph_proof_survey(proof, graph,
                           !proof->switched && proof->since_update >= LAUNCHES_AN_UPDATE &&
                               gasan_graph_proof_takes(exec, &flags));
  proof->since_update = 0;
  pthread_mutex_unlock(&proof->lock);
}

void gasan_graph_launch_proof_lost(cudaGraphExec_t exec) {
  struct gasan_graph_launch_proof *proof = find_proof(exec);
  if (!proof)
    return;
  pthread_mutex_lock(&proof->lock);
  gasan_graph_proof_stop(proof);
  pthread_mutex_unlock(&proof->lock);
}

void gasan_graph_launch_proof_switched(cudaGraphExec_t exec) {
  struct gasan_graph_launch_proof *proof = find_proof(exec);
  if (!proof)
    return;
  pthread_mutex_lock(&proof->lock);
  proof->switched = true;
  gasan_graph_proof_stop(proof);
  pthread_mutex_unlock(&proof->lock);
}

bool gasan_graph_launch_proof_follow(cudaGraphExec_t exec, cudaGraphNode_t node, struct gasan_graph_change *change) {
  struct gasan_graph_launch_proof *proof = find_proof(exec);
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
    gasan_graph_proof_stop(change->proof);
  pthread_mutex_unlock(&change->proof->lock);
}

/* Notes new parameters of a node. The proven executable's node gets them when the node is proven. */
static bool note_change(struct gasan_graph_launch_proof *proof, struct gasan_graph_proof_node *node,
                        const struct gasan_kernel *kernel) {
  if (GASAN_REAL(cudaGraphKernelNodeGetParams)(node->handle, &node->params) != cudaSuccess || node->params.extra)
    return false;
  gasan_graph_proof_count_runs(proof);
  node->kernel = kernel;
  node->changed = proof->any_changed = true;
  return true;
}

void gasan_graph_launch_proof_changed_kernel(cudaGraphExec_t exec, cudaGraphNode_t changed,
                                             const struct cudaKernelNodeParams *params) {
  struct gasan_graph_change change;
  if (!gasan_graph_launch_proof_follow(exec, changed, &change))
    return;
  struct gasan_graph_proof_node *node = gasan_graph_proof_find_node(change.proof, change.node);
  bool done = GASAN_REAL(cudaGraphKernelNodeSetParams)(change.node, params) == cudaSuccess;
  if (done && node)
    done = note_change(change.proof, node, gasan_registry_kernel(params->func));
  else if (done && change.exec)
    done = GASAN_REAL(cudaGraphExecKernelNodeSetParams)(change.exec, change.node, params) == cudaSuccess;
  gasan_graph_launch_proof_followed(&change, done);
}

/* Makes the proven executable run only variants whose proofs hold now. */
static void make_valid(struct gasan_graph_launch_proof *proof, cudaStream_t stream) {
  /* Proofs read the uploaded ranges. */
  if (!gasan_ok(gasan_lookup_upload(proof->state))) {
    gasan_graph_proof_drop_executable(proof);
    return;
  }
  uint64_t bounds_epoch = gasan_lookup_epoch(proof->state), launches_epoch = gasan_launch_proof_epoch();
  bool stream_matters = gasan_allocation_stream_matters(stream);
  bool same = proof->valid && proof->launches_epoch == launches_epoch && !proof->stream_mattered && !stream_matters;
  same = same && (proof->bounds_epoch == bounds_epoch || gasan_graph_proof_roots_are_same(proof));
  if (!same || proof->any_changed) {
    bool found = gasan_graph_proof_find_roots(proof, stream, !same);
    gasan_graph_proof_prove(proof, stream, !same);
    proof->roots_known = found && bounds_epoch == gasan_lookup_epoch(proof->state);
  }
  proof->valid = true;
  proof->bounds_epoch = bounds_epoch;
  proof->launches_epoch = launches_epoch;
  proof->stream_mattered = stream_matters;
}

/* Orders this launch after the latest one. CUDA runs the launches of one executable one after the other, even in
 * different streams. A program must see the same order between launches of its own executable and of the proven one. */
static cudaGraphExec_t in_order(struct gasan_graph_launch_proof *proof, cudaGraphExec_t wanted, cudaStream_t stream) {
  /* cudaStreamPerThread is another stream in each thread. */
  bool same_stream = proof->stream == stream && stream != cudaStreamPerThread;
  if (proof->launched && proof->launched != wanted && !same_stream && !gasan_capture_active())
    GASAN_GRAPH_TRY(GASAN_REAL(cudaDeviceSynchronize)());
  proof->launched = wanted;
  proof->stream = stream;
  return wanted;
}

cudaGraphExec_t gasan_graph_launch_proof_choose(struct gasan_rt_device *state, cudaGraphExec_t exec,
                                                cudaStream_t stream, bool *looks_up) {
  struct gasan_graph_launch_proof *proof = find_proof(exec);
  *looks_up = true;
  if (!proof)
    return exec;
  pthread_mutex_lock(&proof->lock);
  /* Making the proven executable allocates memory, which would invalidate a capture. */
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
  atomic_fetch_add_explicit(&gasan_graph_proof_counters.launches, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&gasan_graph_proof_counters.proven_launches, proven, memory_order_relaxed);
  pthread_mutex_unlock(&proof->lock);
  return chosen;
}

void gasan_graph_launch_proof_refused(cudaGraphExec_t exec) {
  struct gasan_graph_launch_proof *proof = find_proof(exec);
  if (!proof)
    return;
  pthread_mutex_lock(&proof->lock);
  proof->variant_runs--;
  proof->runs++;
  atomic_fetch_sub(&gasan_graph_proof_counters.proven_launches, proof->proven > 0);
  gasan_graph_proof_stop(proof);
  pthread_mutex_unlock(&proof->lock);
}

void gasan_graph_launch_proof_count(void) {
  pthread_mutex_lock(&lock);
  for (struct gasan_map_entry *entry = gasan_map_next(&executables, NULL); entry;
       entry = gasan_map_next(&executables, entry)) {
    struct gasan_graph_launch_proof *proof = GASAN_MAP_OWNER(entry, struct gasan_graph_launch_proof, by_exec);
    pthread_mutex_lock(&proof->lock);
    gasan_graph_proof_count_runs(proof);
    pthread_mutex_unlock(&proof->lock);
  }
  pthread_mutex_unlock(&lock);
}

void gasan_graph_launch_proof_print_stats(void) {
  const struct gasan_graph_proof_counters *counters = &gasan_graph_proof_counters;
  if (!atomic_load(&counters->launches))
    return;
  gasan_printf(
      "Stats: graphs: %llu launches, %llu of them with proven kernels, by %llu proofs and %llu changes of kernel nodes",
      (unsigned long long)atomic_load(&counters->launches), (unsigned long long)atomic_load(&counters->proven_launches),
      (unsigned long long)atomic_load(&counters->proofs), (unsigned long long)atomic_load(&counters->changes));
  if (atomic_load(&counters->refusals))
    gasan_printf(", %llu nodes refused by CUDA", (unsigned long long)atomic_load(&counters->refusals));
  if (atomic_load(&counters->lost))
    gasan_printf(", %llu executables changed in a way that gasan cannot follow",
                 (unsigned long long)atomic_load(&counters->lost));
  gasan_printf("\n");
}
