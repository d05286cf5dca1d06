/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Which code reads the tables of bounds when it runs.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_TABLEREADS_H
#define GASAN_PASS_INSTRUMENT_PROOF_TABLEREADS_H

#include "llvm/IR/Function.h"

namespace gasan {

// May F, or what it calls, look bounds up? All functions are instrumented; lookups are calls still.
bool looksUp(const llvm::Function &F);

} // namespace gasan

#endif
