/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Judges for the compiler whether a formula that it has written bounds its value. A formula whose value is all values
 * in every ordinary launch proves nothing, and a claim with it would never hold. */
#ifndef GASAN_PROOF_PLAUSIBLE_H
#define GASAN_PROOF_PLAUSIBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/proof_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets plausible[i] to whether root i, a node of 64 bits, has an interval no larger than an object in at least one of a
 * few launches with ordinary shapes and small arguments. The nodes must be valid (gasan_proofs_parse). The answer does
 * not affect soundness. Without memory, all roots are plausible. */
void gasan_proof_plausible(const struct gasan_proof_node *nodes, uint32_t node_count, const uint32_t *roots,
                           uint32_t root_count, bool *plausible);

#ifdef __cplusplus
}
#endif
#endif
