/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides whether a kernel's claims hold for a launch. */
#include <string.h>

#include "proof/kernel_claims.h"

#define SHAPE_WORDS 5u /* grid, block, dynamic shared memory, device */

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

static void write_key(const struct gasan_proof *proof, const struct gasan_proof_launch *launch, uint32_t device,
                      uint64_t *key) {
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

/* Returns whether the object is freed, wild or unknown. For such an object the kernel must run with its checks, because
 * a report needs more than base and size. */
static bool is_dead(struct gasan_bounds bounds) {
  return !bounds.size && bounds.object != GASAN_OBJECT_NULL;
}

/* Returns the bounds of the claim's root. Sets *pointer to the address to which the claim's offsets are relative. */
static struct gasan_bounds object_of(const struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                                     uint32_t claim, uint64_t *pointer) {
  uint32_t root = proof->claim_roots[claim];
  *pointer = 0;
  if (root == GASAN_PROOF_NO_ARGUMENT) {
    bool dynamic = proof->claims[claim].root == GASAN_ROOT_DYNAMIC_SHARED;
    return gasan_bounds_make(0, dynamic ? launch->dynamic_shared : proof->claims[claim].size, GASAN_OBJECT_MEMORY);
  }
  *pointer = gasan_proof_read(launch, &proof->roots[root]);
  return proof->bounds[root];
}

bool gasan_claim_is_aligned(const struct gasan_claim *claim, const struct gasan_proof_value *offsets,
                            uint64_t pointer) {
  uint64_t mask = claim->alignment ? claim->alignment - 1u : 0;
  if (!claim->aligns_each)
    return (pointer & mask) == 0;
  bool all_known = offsets->low.count >= 16 || mask >> offsets->low.count == 0; /* alignments have 16 bits */
  return all_known && ((pointer + offsets->low.value) & mask) == 0;
}

static enum gasan_proof_reason check_claim(const struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                                           uint32_t number, struct gasan_proof_failure *failure) {
  const struct gasan_claim *claim = &proof->claims[number];
  struct gasan_interval offsets = proof->values[claim->node].interval;
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
  if (!gasan_claim_is_aligned(claim, &proof->values[claim->node], pointer))
    return GASAN_PROOF_MISALIGNED;
  bool inside = claim->width <= bounds.size && low <= bounds.size - claim->width &&
                offsets.span <= bounds.size - claim->width - low;
  if (inside)
    return GASAN_PROOF_HOLDS;
  return claim->root == GASAN_ROOT_INDEX ? GASAN_PROOF_BAD_INDEX : GASAN_PROOF_OUTSIDE;
}

/* Returns the argument number of the first of these roots that is dead, or GASAN_PROOF_NO_ARGUMENT. Ignores dead roots
 * of a table, which the kernel looks up itself. */
static uint32_t dead_argument(const struct gasan_proof *proof, const struct gasan_hidden *hidden, const uint32_t *roots,
                              uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (hidden[i].place == GASAN_HIDDEN_ALONE && is_dead(proof->bounds[roots[i]]))
      return proof->roots[roots[i]].argument;
  return GASAN_PROOF_NO_ARGUMENT;
}

static void add_failure(struct gasan_proof_failures *failures, struct gasan_proof_failure failure) {
  if (failures->count < GASAN_PROOF_FAILURES)
    failures->at[failures->count++] = failure;
}

/* Decides the launch. proof->bounds must be set. */
static struct gasan_proof_decision check_claims(struct gasan_proof *proof, const struct gasan_proof_launch *launch) {
  struct gasan_proof_decision decision = {.variant = GASAN_VARIANT_PROVEN};
  uint32_t dead = dead_argument(proof, proof->hidden, proof->hidden_roots, proof->hidden_count);
  if (dead != GASAN_PROOF_NO_ARGUMENT) {
    decision.variant = GASAN_VARIANT_FULL;
    add_failure(&decision.failures, (struct gasan_proof_failure){.reason = GASAN_PROOF_NO_OBJECT, .argument = dead});
    return decision;
  }
  gasan_proof_evaluate(proof->nodes, proof->node_count, launch, proof->values);
  for (uint32_t i = 0; i < proof->claim_count; i++) {
    struct gasan_proof_failure failure;
    failure.reason = check_claim(proof, launch, i, &failure);
    if (failure.reason == GASAN_PROOF_HOLDS)
      continue;
    decision.variant = GASAN_VARIANT_BOUNDED;
    decision.failed |= GASAN_CLAIM_BIT(i);
    decision.failures.claims++;
    add_failure(&decision.failures, failure);
  }
  if (decision.variant == GASAN_VARIANT_BOUNDED &&
      (!proof->has_bounded ||
       dead_argument(proof, proof->bounded, proof->bounded_roots, proof->bounded_count) != GASAN_PROOF_NO_ARGUMENT))
    decision.variant = GASAN_VARIANT_FULL;
  return decision;
}

static void find_bounds(struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                        const struct gasan_proof_lookup *lookup) {
  for (uint32_t i = 0; i < proof->root_count; i++)
    proof->bounds[i] = lookup->find(lookup->context, gasan_proof_read(launch, &proof->roots[i]));
}

static bool same_bounds(const struct gasan_proof *proof, const struct gasan_bounds *bounds) {
  for (uint32_t i = 0; i < proof->root_count; i++)
    if (proof->bounds[i].base != bounds[i].base || proof->bounds[i].size != bounds[i].size)
      return false;
  return true;
}

/* Decides the launch, if possible from the cache. Also sets proof->bounds. */
static struct gasan_proof_decision decide_cached(struct gasan_proof *proof, const struct gasan_proof_launch *launch,
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
    return *earlier;
  }
  find_bounds(proof, launch, lookup);
  if (earlier && same_bounds(proof, bounds)) { /* only other memory was allocated or freed since then */
    earlier->epoch = lookup->epoch;
    return *earlier;
  }
  proof->counts.evaluated++;
  struct gasan_proof_decision decision = check_claims(proof, launch);
  decision.epoch = lookup->epoch;
  if (proof->cache)
    gasan_proof_cache_keep(proof->cache, &decision, proof->bounds);
  return decision;
}

/* Changes the decision to FULL if an object may not live until the kernel has run. proof->bounds must be set. Called
 * for each launch, because the cache's key does not include streams. */
static void check_lasting(const struct gasan_proof *proof, const struct gasan_proof_lookup *lookup,
                          struct gasan_proof_decision *decision) {
  for (uint32_t i = 0; lookup->lasts && decision->variant != GASAN_VARIANT_FULL && i < proof->root_count; i++)
    if (proof->bounds[i].size && !lookup->lasts(lookup->context, proof->bounds[i].base)) {
      *decision = (struct gasan_proof_decision){.variant = GASAN_VARIANT_FULL};
      add_failure(&decision->failures,
                  (struct gasan_proof_failure){.reason = GASAN_PROOF_MAY_END, .argument = proof->roots[i].argument});
    }
}

/* A variant adds at most this number to a signed index before it compares the index. */
#define FARTHEST (1ull << 20)

/* Computes the two values of struct gasan_hidden for an array. Returns false if the array has more elements than its
 * indices can count. */
static bool count_elements(const struct gasan_hidden *hidden, uint64_t pointer, struct gasan_bounds bounds,
                           uint64_t *values) {
  bool may_be_good = bounds.size >= hidden->width && pointer % hidden->alignment == 0;
  uint64_t limit = may_be_good ? bounds.size - (hidden->width - 1) : 0, first = pointer - bounds.base + hidden->start;
  values[1] = limit;
  if (!hidden->bits)
    return true;
  uint64_t element = 1ull << hidden->shift, numbers = UINT64_MAX >> (64 - hidden->bits);
  uint64_t before = 0;
  if (hidden->is_signed) {
    before = first / element;
    first %= element;
    numbers = numbers / 2 - FARTHEST;
  }
  uint64_t left = limit > first ? limit - first : 0;
  values[0] = before;
  values[1] = left / element + (left % element != 0);
  return pointer >= bounds.base && before <= numbers && values[1] <= numbers;
}

/* Writes the hidden arguments of the variant. Changes the decision to FULL if they cannot be computed. */
static void write_hidden(const struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                         struct gasan_proof_decision *decision, uint64_t *values) {
  bool is_proven = decision->variant == GASAN_VARIANT_PROVEN;
  const struct gasan_hidden *hidden = is_proven ? proof->hidden : proof->bounded;
  const uint32_t *roots = is_proven ? proof->hidden_roots : proof->bounded_roots;
  uint32_t count = is_proven ? proof->hidden_count : proof->bounded_count;
  for (uint32_t i = 0; decision->variant != GASAN_VARIANT_FULL && i < count; i++, values += 2) {
    struct gasan_bounds bounds = proof->bounds[roots[i]];
    values[0] = bounds.base;
    values[1] = bounds.size;
    if (hidden[i].width &&
        !count_elements(&hidden[i], gasan_proof_read(launch, &proof->roots[roots[i]]), bounds, values)) {
      *decision = (struct gasan_proof_decision){.variant = GASAN_VARIANT_FULL};
      add_failure(&decision->failures,
                  (struct gasan_proof_failure){.reason = GASAN_PROOF_TOO_MANY, .argument = hidden[i].argument});
    }
  }
  if (decision->variant == GASAN_VARIANT_BOUNDED)
    *values = decision->failed;
}

enum gasan_proof_variant gasan_proof_decide(struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                                            const struct gasan_proof_lookup *lookup, uint64_t *hidden) {
  struct gasan_proof_decision decision = {.variant = GASAN_VARIANT_FULL};
  pthread_mutex_lock(&proof->lock);
  if (is_possible(proof, launch))
    decision = decide_cached(proof, launch, lookup);
  else
    add_failure(&decision.failures,
                (struct gasan_proof_failure){.reason = GASAN_PROOF_NOT_TRIED, .argument = GASAN_PROOF_NO_ARGUMENT});
  check_lasting(proof, lookup, &decision);
  write_hidden(proof, launch, &decision, hidden);
  switch (decision.variant) {
  case GASAN_VARIANT_PROVEN:
    proof->counts.proven += !lookup->uncounted;
    break;
  case GASAN_VARIANT_BOUNDED:
    proof->counts.partly += !lookup->uncounted;
    break;
  case GASAN_VARIANT_FULL:
  case GASAN_VARIANT_WIDE:
    proof->counts.failed += !lookup->uncounted;
    break;
  }
  if (decision.variant != GASAN_VARIANT_PROVEN)
    proof->counts.failures = decision.failures;
  pthread_mutex_unlock(&proof->lock);
  return decision.variant;
}

uint32_t gasan_proof_roots(const struct gasan_proof *proof, const struct gasan_proof_launch *launch, uint64_t *pointers,
                           uint32_t room) {
  if (!is_possible(proof, launch))
    return 0;
  for (uint32_t i = 0; proof->root_count <= room && i < proof->root_count; i++)
    pointers[i] = gasan_proof_read(launch, &proof->roots[i]);
  return proof->root_count;
}

void gasan_proof_counts(struct gasan_proof *proof, struct gasan_proof_counts *counts) {
  pthread_mutex_lock(&proof->lock);
  *counts = proof->counts;
  pthread_mutex_unlock(&proof->lock);
}
