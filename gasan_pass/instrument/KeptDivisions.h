/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Keeps divisions by a number that a loop does not change before the checks that follow them.
#ifndef GASAN_PASS_INSTRUMENT_KEPTDIVISIONS_H
#define GASAN_PASS_INSTRUMENT_KEPTDIVISIONS_H

#include "llvm/IR/Function.h"

namespace gasan {

// LLVM's code generator moves an instruction after a branch if only the code there needs its value. ptxas divides by a
// reciprocal, which it computes once before a loop only if each round certainly divides. So a division that a check
// separates from its use would compute the reciprocal in each round. Must be called after the checks are inserted.
void keepDivisions(llvm::Function &F);

} // namespace gasan

#endif
