/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Recognises numbers that depend on what other threads have computed.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_OTHERTHREADS_H
#define GASAN_PASS_INSTRUMENT_PROOF_OTHERTHREADS_H

#include "gasan_pass/instrument/proof/Guards.h"

namespace gasan {

// Returns true for a number that comes from other threads: it is read from memory as volatile, or a warp's threads
// exchange it; or it is computed from such numbers only.
bool comesFromOthers(const llvm::Value *V);

// Returns true if a test bounds something at the place by a number that comes from other threads. So cub writes the
// last tile, whose length only one thread computes. Without the test, the index is mostly that of a full tile, which
// the claim would be about.
bool isBoundedByOthers(const Place *At);

} // namespace gasan

#endif
