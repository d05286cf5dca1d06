/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Judges, for the compiler, whether a claim can hold at all. A formula that can have any value in every ordinary launch
 * proves nothing. */
#ifndef GASAN_PROOF_PLAUSIBLE_H
#define GASAN_PROOF_PLAUSIBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/proof_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets plausible[i] to whether claim i may hold. First, in at least one of a few launches with ordinary shapes and
 * small arguments, the claim's interval must be no larger than an object, and its addresses must be aligned if the
 * root's address is. Second, in at least one of these launches, or in a launch of one thread, its accesses must be
 * inside the root, if the compiler knows the root's size. A launch that does not reach the accesses does not count. If
 * no launch but those for some kernels reaches them, the claim may hold. The nodes and claims must be valid
 * (gasan_proofs_parse). The answer does not affect soundness. Without memory, all claims are plausible. */
void gasan_proof_plausible(const struct gasan_proof_node *nodes, uint32_t node_count, const struct gasan_claim *claims,
                           uint32_t claim_count, bool *plausible);

#ifdef __cplusplus
}
#endif
#endif
