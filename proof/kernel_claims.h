/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A kernel's claims, ready for evaluation. Shared by the files of proof/. */
#ifndef GASAN_PROOF_KERNEL_CLAIMS_H
#define GASAN_PROOF_KERNEL_CLAIMS_H

#include <pthread.h>

#include "proof/interval.h"
#include "proof/low_bits.h"
#include "proof/proof.h"

/* A range of bytes of an argument on which a decision depends. No two inputs have the same argument and offset. */
struct gasan_proof_input {
  uint32_t argument, offset, size;
};

/* The known facts about a node's values. */
struct gasan_proof_value {
  struct gasan_interval interval;
  struct gasan_low_bits low;
  bool is_computed, has_changed; /* in the latest evaluation */
};

struct gasan_proof_cache;

struct gasan_proof {
  const char *name, *strings;
  const struct gasan_proof_argument *arguments;
  uint32_t argument_count, node_count, claim_count, hidden_count, bounded_count, kept_checks;
  bool has_bounded;
  uint32_t looks_up;
  const struct gasan_proof_node *nodes;
  const struct gasan_claim *claims;
  const struct gasan_hidden *hidden, *bounded;
  const struct gasan_loaded *loaded; /* of all kernels of the table */
  uint32_t loaded_count, number;     /* number: of the kernel in the table */
  struct gasan_proof_input *inputs;  /* the bytes that nodes read */
  struct gasan_proof_input *roots;   /* the pointers whose bounds a decision needs */
  struct gasan_proof_input *shown;   /* pointers that only explanations need */
  uint32_t input_count, root_count, shown_count;
  /* Indices in roots; GASAN_PROOF_NO_ARGUMENT for a claim whose root is not an argument. */
  uint32_t *claim_roots, *hidden_roots, *bounded_roots;
  pthread_mutex_t lock;             /* protects the members below */
  struct gasan_proof_value *values; /* of the nodes */
  struct gasan_bounds *bounds;      /* of the roots */
  struct gasan_proof_cache *cache;  /* NULL: not created yet */
  struct gasan_proof_counts counts;
};

/* Returns NULL if the node is valid: the evaluator knows its operation, and its operands precede it. Otherwise returns
 * a static string that names the fault. */
const char *gasan_proof_node_error(const struct gasan_proof_node *nodes, uint32_t index,
                                   const struct gasan_proof_argument *arguments, uint32_t argument_count);

/* Returns the number of the fields a, b and c of a valid node that name nodes. */
uint32_t gasan_proof_operand_count(const struct gasan_proof_node *node);

/* Computes each node's value. `values` must be zeroed, or those of an earlier launch. Computes only nodes whose
 * operands have changed since that launch, so a launch that differs in one argument costs little. */
void gasan_proof_evaluate(const struct gasan_proof_node *nodes, uint32_t node_count,
                          const struct gasan_proof_launch *launch, struct gasan_proof_value *values);

/* Returns whether the claim's alignment holds, if the root's address is `pointer`. */
bool gasan_claim_is_aligned(const struct gasan_claim *claim, const struct gasan_proof_value *offsets, uint64_t pointer);

static inline uint64_t gasan_proof_read(const struct gasan_proof_launch *launch,
                                        const struct gasan_proof_input *input) {
  uint64_t value = 0;
  __builtin_memcpy(&value, (const char *)launch->arguments[input->argument] + input->offset, input->size);
  return value;
}

/* A decision for one launch of a kernel. */
struct gasan_proof_decision {
  uint64_t epoch;
  enum gasan_proof_variant variant;
  uint64_t failed; /* mask of the claims that do not hold */
  struct gasan_proof_failures failures;
};
/* A cache of a kernel's decisions. It grows to at most 4,096 decisions and 4 MiB. The kernel's lock protects it.
 *
 * create returns NULL if there is no memory, or if the keys are too long; every launch is then decided anew. */
struct gasan_proof_cache *gasan_proof_cache_create(uint32_t key_words, uint32_t root_count);
void gasan_proof_cache_free(struct gasan_proof_cache *cache);
/* Returns the place where the caller writes a launch's key, of key_words words. Must be called before find and keep. */
uint64_t *gasan_proof_cache_key(struct gasan_proof_cache *cache);
/* Returns the decision for an earlier launch with this key, and sets *bounds to the bounds that the roots had at that
 * launch. Returns NULL if there is none. Valid until keep is called. */
struct gasan_proof_decision *gasan_proof_cache_find(struct gasan_proof_cache *cache, struct gasan_bounds **bounds);
/* Stores the decision for the current key; may replace another decision. */
void gasan_proof_cache_keep(struct gasan_proof_cache *cache, const struct gasan_proof_decision *decision,
                            const struct gasan_bounds *bounds);

#endif
