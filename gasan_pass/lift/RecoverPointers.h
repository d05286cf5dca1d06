/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Turns sums of addresses, which are numbers in PTX, into pointers and steps from them.
#ifndef GASAN_PASS_LIFT_RECOVERPOINTERS_H
#define GASAN_PASS_LIFT_RECOVERPOINTERS_H

#include "llvm/IR/Function.h"

namespace gasan::lift {

// Must be called when registers are values. The addresses stay the same numbers.
void recoverPointers(llvm::Function &F);
// Gives a function's parameters that are used as pointers the type of pointers, unless the function's address is used.
// Returns the function, which may be new; then the addresses that calls pass are numbers that are not recovered yet.
llvm::Function *recoverParameters(llvm::Function &F);

} // namespace gasan::lift

#endif
