/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Makes divisions by constants of the products and shifts that compilers write for them.
#ifndef GASAN_PASS_LIFT_RECOVERDIVISIONS_H
#define GASAN_PASS_LIFT_RECOVERDIVISIONS_H

#include "llvm/IR/Function.h"

namespace gasan::lift {

// Must be called when registers are values, and before LLVM combines instructions. The results are the same for all
// numbers; LLVM's back end writes products and shifts again.
void recoverDivisions(llvm::Function &F);

} // namespace gasan::lift

#endif
