/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Promotes local variables whose address is not taken to values, so that pointers can be followed at -O0 as far as in
// optimised code.
#ifndef GASAN_PASS_INSTRUMENT_BST_PROMOTE_H
#define GASAN_PASS_INSTRUMENT_BST_PROMOTE_H

#include "llvm/IR/Function.h"

namespace gasan {

void promoteVariables(llvm::Function &F);

} // namespace gasan

#endif
