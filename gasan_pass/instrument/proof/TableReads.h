/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the code that reads the tables of bounds at run time.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_TABLEREADS_H
#define GASAN_PASS_INSTRUMENT_PROOF_TABLEREADS_H

#include "llvm/IR/Function.h"

namespace gasan {

// Returns true if F, or a function that F calls, may look up bounds. All functions must be instrumented, and lookups
// must not be expanded yet.
bool looksUp(const llvm::Function &F);

} // namespace gasan

#endif
