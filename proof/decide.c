/* Do a kernel's claims hold for a launch? */
#include <string.h>

#include "proof/internal.h"

#define SHAPE_WORDS 5u /* device and grid, block, dynamic shared memory */

static bool is_possible(const struct gasan_proof *proof, const struct gasan_proof_launch *launch) {
  for (int i = 0; i < 3; i++)
    if (!launch->grid[i] || !launch->block[i])
      return false;
  if (proof->argument_count && !launch->arguments)
    return false;
  for (uint32_t i = 0; i < proof->input_count; i++)
    if (!launch->arguments[proof->inputs[i].argument])
      return false;
  for (uint32_t i = 0; i < proof->root_count; i++)
    if (!launch->arguments[proof->roots[i].argument])
      return false;
  return true;
}

static void write_key(const struct gasan_proof *proof, const struct gasan_proof_launch *launch, uint32_t device, uint64_t *key) {
  const uint32_t *grid = launch->grid, *block = launch->block;
  *key++ = (uint64_t)grid[0] << 32 | grid[1];
  *key++ = (uint64_t)grid[2] << 32 | block[0];
  *key++ = (uint64_t)block[1] << 32 | block[2];
  *key++ = launch->dynamic_shared;
  *key++ = device;
  for (uint32_t i = 0; i < proof->input_count; i++)
    *key++ = gasan_proof_read(launch, &proof->inputs[i]);
  for (uint32_t i = 0; i < proof->root_count; i++)
    *key++ = gasan_proof_read(launch, &proof->roots[i]);
}

/* What a report says of it is more than base and size. */
static bool is_dead(struct gasan_bounds bounds) {
  return !bounds.size && bounds.object != GASAN_OBJECT_NULL;
}

/* The object of a claim; *pointer is where its offsets count from. */
static struct gasan_bounds object_of(const struct gasan_proof *proof, const struct gasan_proof_launch *launch, uint32_t claim,
                                     uint64_t *pointer) {
  uint32_t root = proof->claim_roots[claim];
  *pointer = 0;
  if (root == GASAN_PROOF_NO_ARGUMENT) {
    bool dynamic = proof->claims[claim].root == GASAN_ROOT_DYNAMIC_SHARED;
    return gasan_bounds_make(0, dynamic ? launch->dynamic_shared : proof->claims[claim].size, GASAN_OBJECT_MEMORY);
  }
  *pointer = gasan_proof_read(launch, &proof->roots[root]);
  return proof->bounds[root];
}

static enum gasan_proof_reason check_claim(const struct gasan_proof *proof, const struct gasan_proof_launch *launch, uint32_t number,
                                           struct gasan_proof_failure *failure) {
  const struct gasan_claim *claim = &proof->claims[number];
  struct gasan_interval offsets = proof->values[claim->node];
  uint64_t pointer;
  struct gasan_bounds bounds = object_of(proof, launch, number, &pointer);
  if (offsets.empty || !claim->width)
    return GASAN_PROOF_HOLDS;
  uint64_t low = pointer - bounds.base + offsets.low;
  *failure = (struct gasan_proof_failure){
      .site = claim->site,
      .argument = claim->root == GASAN_ROOT_ARGUMENT ? claim->argument : GASAN_PROOF_NO_ARGUMENT,
      .low = low,
      .span = offsets.span,
      .width = claim->width,
      .size = bounds.size,
  };
  if (!bounds.size)
    return GASAN_PROOF_NO_OBJECT;
  if (claim->alignment && pointer % claim->alignment)
    return GASAN_PROOF_MISALIGNED;
  bool inside = claim->width <= bounds.size && low <= bounds.size - claim->width && offsets.span <= bounds.size - claim->width - low;
  return inside ? GASAN_PROOF_HOLDS : GASAN_PROOF_OUTSIDE;
}

/* With proof->bounds found. */
static struct gasan_proof_failure check_claims(struct gasan_proof *proof, const struct gasan_proof_launch *launch) {
  struct gasan_proof_failure failure = {.reason = GASAN_PROOF_HOLDS};
  for (uint32_t i = 0; i < proof->hidden_count; i++)
    if (is_dead(proof->bounds[proof->hidden_roots[i]]))
      return (struct gasan_proof_failure){.reason = GASAN_PROOF_NO_OBJECT, .argument = proof->roots[proof->hidden_roots[i]].argument};
  gasan_proof_evaluate(proof->nodes, proof->node_count, launch, proof->values);
  for (uint32_t i = 0; i < proof->claim_count; i++) {
    enum gasan_proof_reason reason = check_claim(proof, launch, i, &failure);
    failure.reason = reason;
    if (reason != GASAN_PROOF_HOLDS)
      return failure;
  }
  return failure;
}

static void find_bounds(struct gasan_proof *proof, const struct gasan_proof_launch *launch, const struct gasan_proof_lookup *lookup) {
  for (uint32_t i = 0; i < proof->root_count; i++)
    proof->bounds[i] = lookup->find(lookup->context, gasan_proof_read(launch, &proof->roots[i]));
}

static bool same_bounds(const struct gasan_proof *proof, const struct gasan_bounds *bounds) {
  for (uint32_t i = 0; i < proof->root_count; i++)
    if (proof->bounds[i].base != bounds[i].base || proof->bounds[i].size != bounds[i].size)
      return false;
  return true;
}

/* Sets proof->bounds too. */
static struct gasan_proof_failure decide(struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                                         const struct gasan_proof_lookup *lookup) {
  if (!proof->cache)
    proof->cache = gasan_proof_cache_create(SHAPE_WORDS + proof->input_count + proof->root_count, proof->root_count);
  struct gasan_bounds *bounds = NULL;
  struct gasan_proof_decision *earlier = NULL;
  if (proof->cache) {
    write_key(proof, launch, lookup->device, gasan_proof_cache_key(proof->cache));
    earlier = gasan_proof_cache_find(proof->cache, &bounds);
  }
  if (earlier && earlier->epoch == lookup->epoch) {
    memcpy(proof->bounds, bounds, proof->root_count * sizeof *bounds);
    return earlier->failure;
  }
  find_bounds(proof, launch, lookup);
  if (earlier && same_bounds(proof, bounds)) { /* what was allocated and freed meanwhile was other memory */
    earlier->epoch = lookup->epoch;
    return earlier->failure;
  }
  proof->counts.evaluated++;
  struct gasan_proof_decision decision = {lookup->epoch, check_claims(proof, launch)};
  if (proof->cache)
    gasan_proof_cache_keep(proof->cache, &decision, proof->bounds);
  return decision.failure;
}

/* With proof->bounds found; asked at each launch, since streams are no part of the key. */
static void check_lasting(const struct gasan_proof *proof, const struct gasan_proof_lookup *lookup, struct gasan_proof_failure *failure) {
  for (uint32_t i = 0; lookup->lasts && failure->reason == GASAN_PROOF_HOLDS && i < proof->root_count; i++)
    if (proof->bounds[i].size && !lookup->lasts(lookup->context, proof->bounds[i].base))
      *failure = (struct gasan_proof_failure){.reason = GASAN_PROOF_MAY_END, .argument = proof->roots[i].argument};
}

bool gasan_proof_decide(struct gasan_proof *proof, const struct gasan_proof_launch *launch, const struct gasan_proof_lookup *lookup,
                        uint64_t *hidden) {
  struct gasan_proof_failure failure = {.reason = GASAN_PROOF_NOT_TRIED, .argument = GASAN_PROOF_NO_ARGUMENT};
  pthread_mutex_lock(&proof->lock);
  if (is_possible(proof, launch))
    failure = decide(proof, launch, lookup);
  check_lasting(proof, lookup, &failure);
  bool holds = failure.reason == GASAN_PROOF_HOLDS;
  for (uint32_t i = 0; holds && i < proof->hidden_count; i++) {
    hidden[2 * i] = proof->bounds[proof->hidden_roots[i]].base;
    hidden[2 * i + 1] = proof->bounds[proof->hidden_roots[i]].size;
  }
  if (holds) {
    proof->counts.held++;
  } else {
    proof->counts.failed++;
    proof->counts.failure = failure;
  }
  pthread_mutex_unlock(&proof->lock);
  return holds;
}

void gasan_proof_counts(struct gasan_proof *proof, struct gasan_proof_counts *counts) {
  pthread_mutex_lock(&proof->lock);
  *counts = proof->counts;
  pthread_mutex_unlock(&proof->lock);
}
