/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explains a reported access by the formula of its claim: the values that make its index. An index from memory follows
 * from the address; its place in memory is that of the load's claim. A report calls these functions, and a launch only
 * gasan_proof_copy_inputs and gasan_proof_explains_proven.
 *
 * Any thread; no lock: the functions change nothing in the proof. */
#ifndef GASAN_PROOF_EXPLAIN_H
#define GASAN_PROOF_EXPLAIN_H

#include "proof/proof.h"

#define GASAN_PROOF_INPUTS 32u /* a kernel with more inputs is not explained */
#define GASAN_PROOF_FACTS 5u
#define GASAN_PROOF_BLOCK_WORDS 16u /* of 64 threads */

/* "threadIdx.x + n" and "1000", or "-8 (2147483640 + 16 does not fit 32 bits)". */
struct gasan_proof_fact {
  char expression[192], value[96];
};

struct gasan_proof_explanation {
  uint32_t count;
  struct gasan_proof_fact facts[GASAN_PROOF_FACTS]; /* first the index, then the arguments in its formula */
  /* The threads of the block for which the formula leaves the object, by their linear index. has_threads: the formula
   * has one value for each thread. */
  bool has_threads;
  uint64_t threads[GASAN_PROOF_BLOCK_WORDS];
};

/* An access as the device has recorded it. */
struct gasan_proof_access {
  uint32_t site;
  uint64_t address, size;
  uint64_t base, bounds_size; /* of the pointer's object */
  struct gasan_proof_thread thread;
};

/* Copies the bytes of the arguments that the formulas read, and the pointers of the claims. Returns the number of
 * values; 0: the kernel has no claims, or more than GASAN_PROOF_INPUTS inputs. */
uint32_t gasan_proof_copy_inputs(const struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                                 uint64_t *values);

/* Returns whether an access of the proven variant may be explained: one whose index comes from memory. */
bool gasan_proof_explains_proven(const struct gasan_proof *proof);

/* Explains the access. The launch has the shape, and no arguments; `values` are those of gasan_proof_copy_inputs.
 * Returns false if no claim is about the site, or if no formula gives the recorded address. */
bool gasan_proof_explain(const struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                         const uint64_t *values, const struct gasan_proof_access *access,
                         struct gasan_proof_explanation *explanation);

#endif
