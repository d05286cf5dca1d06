/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of proof/ share: a kernel's claims, ready to be evaluated. */
#ifndef GASAN_PROOF_INTERNAL_H
#define GASAN_PROOF_INTERNAL_H

#include <pthread.h>

#include "proof/interval.h"
#include "proof/proof.h"

/* Bytes of an argument that a decision depends on; two of the same argument and offset are one. */
struct gasan_proof_input {
  uint32_t argument, offset, size;
};

struct gasan_proof_cache;

struct gasan_proof {
  const char *name;
  uint32_t argument_count, node_count, claim_count, hidden_count, bounded_count;
  bool has_bounded;
  uint32_t looks_up;
  const struct gasan_proof_node *nodes;
  const struct gasan_claim *claims;
  const struct gasan_hidden *hidden, *bounded;
  struct gasan_proof_input *inputs; /* what nodes read */
  struct gasan_proof_input *roots;  /* pointers whose bounds are asked for */
  uint32_t input_count, root_count;
  uint32_t *claim_roots, *hidden_roots,
      *bounded_roots;              /* indices in roots; of a claim whose root is no argument, GASAN_PROOF_NO_ARGUMENT */
  pthread_mutex_t lock;            /* for what follows */
  struct gasan_interval *values;   /* of the nodes */
  struct gasan_bounds *bounds;     /* of the roots */
  struct gasan_proof_cache *cache; /* NULL: not made yet */
  struct gasan_proof_counts counts;
};

/* Does the node say something that the evaluator knows, and of nodes before it? What is wrong, or NULL. */
const char *gasan_proof_node_error(const struct gasan_proof_node *nodes, uint32_t index,
                                   const struct gasan_proof_argument *arguments, uint32_t argument_count);

/* Sets each node's value. */
void gasan_proof_evaluate(const struct gasan_proof_node *nodes, uint32_t node_count,
                          const struct gasan_proof_launch *launch, struct gasan_interval *values);

static inline uint64_t gasan_proof_read(const struct gasan_proof_launch *launch,
                                        const struct gasan_proof_input *input) {
  uint64_t value = 0;
  __builtin_memcpy(&value, (const char *)launch->arguments[input->argument] + input->offset, input->size);
  return value;
}

/* The latest decisions, a bounded number a kernel. */
struct gasan_proof_decision {
  uint64_t epoch;
  enum gasan_proof_variant variant;
  uint64_t failed; /* the bits of the claims that do not hold */
  struct gasan_proof_failures failures;
};
/* NULL: no memory; decisions are made anew then. */
struct gasan_proof_cache *gasan_proof_cache_create(uint32_t key_words, uint32_t root_count);
void gasan_proof_cache_free(struct gasan_proof_cache *cache);
/* The place of the launch's key, which the caller writes there first. */
uint64_t *gasan_proof_cache_key(struct gasan_proof_cache *cache);
/* The decision of an earlier launch with this key and its roots' bounds, or NULL. */
struct gasan_proof_decision *gasan_proof_cache_find(struct gasan_proof_cache *cache, struct gasan_bounds **bounds);
/* Keeps one of the key, in another's place. */
void gasan_proof_cache_keep(struct gasan_proof_cache *cache, const struct gasan_proof_decision *decision,
                            const struct gasan_bounds *bounds);

#endif
