/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a formula as C for one thread, for explanations (private to proof/). No state. */
#ifndef GASAN_PROOF_FORMULA_TEXT_H
#define GASAN_PROOF_FORMULA_TEXT_H

#include "proof/explain.h"
#include "proof/kernel_claims.h"

#define GASAN_FORMULA_NO_NODE UINT32_MAX

struct gasan_formula {
  const struct gasan_proof *proof;
  const struct gasan_proof_value *values; /* of the nodes, for one thread */
  uint32_t loop;                          /* the node whose value is one of a loop; NO_NODE: there is none */
  uint64_t loop_value;
};

/* Returns the node below conditions and conversions that do not change the value; *is_unsigned: it counts from 0. */
uint32_t gasan_formula_skip(const struct gasan_formula *formula, uint32_t node, bool *is_unsigned);

/* Finds the value. Returns false if it is not one value. */
bool gasan_formula_value(const struct gasan_formula *formula, uint32_t node, uint64_t *value);

/* Computes the value without overflow; *is_exact is false if it is not known. */
__int128 gasan_formula_exact(const struct gasan_formula *formula, uint32_t node, bool *is_exact);

/* Returns the only node in the formula that has no single value; sets *count to the number of such nodes. */
uint32_t gasan_formula_find_loop(const struct gasan_formula *formula, uint32_t node, uint32_t *count);

/* Writes the formula. Returns false if it has an operation that is not shown, or is too long. */
bool gasan_formula_write(const struct gasan_formula *formula, uint32_t node, char *text, size_t size);

/* Writes the name of an argument's bytes; "": the node is no argument, or has no name. */
void gasan_formula_name(const struct gasan_formula *formula, uint32_t node, char *text, size_t size);

#endif
