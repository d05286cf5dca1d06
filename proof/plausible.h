/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Does a formula bound anything? Asked by the compiler, of formulas that it has written: one that is everything in any
 * launch one can think of proves nothing, and a claim of it would never hold. */
#ifndef GASAN_PROOF_PLAUSIBLE_H
#define GASAN_PROOF_PLAUSIBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/proof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For each root, a node of 64 bits: in some of a few launches with ordinary shapes and small arguments it is an
 * interval as an object may have. The nodes are as in a table that gasan_proofs_parse takes. A matter of judgement, not
 * of soundness. */
void gasan_proof_plausible(const struct gasan_proof_node *nodes, uint32_t node_count, const uint32_t *roots,
                           uint32_t root_count, bool *plausible);

#ifdef __cplusplus
}
#endif
#endif
