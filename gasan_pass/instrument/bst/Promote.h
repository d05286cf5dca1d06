/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Local variables that no address is taken of, as values: at -O0 too, pointers are then followed as far as when
// optimised.
#ifndef GASAN_PASS_INSTRUMENT_BST_PROMOTE_H
#define GASAN_PASS_INSTRUMENT_BST_PROMOTE_H

#include "llvm/IR/Function.h"

namespace gasan {

void promoteVariables(llvm::Function &F);

} // namespace gasan

#endif
