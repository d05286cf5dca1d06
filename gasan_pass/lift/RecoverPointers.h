/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Turns sums of addresses, which are numbers in PTX, into pointers and steps from them.
#ifndef GASAN_PASS_LIFT_RECOVERPOINTERS_H
#define GASAN_PASS_LIFT_RECOVERPOINTERS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"

namespace gasan::lift {

// Must be called when registers are values. The addresses stay the same numbers. Returns the parameters that some
// accesses use as an address, and others perhaps as a distance, as a test says.
llvm::SmallPtrSet<const llvm::Argument *, 4> recoverPointers(llvm::Function &F);
// Gives a function's parameters that are used as pointers the type of pointers, unless the function's address is used,
// or the use is unclear. Returns the function, which may be new; then the addresses that calls pass are numbers that
// are not recovered yet.
llvm::Function *recoverParameters(llvm::Function &F, const llvm::SmallPtrSetImpl<const llvm::Argument *> &Unclear);

} // namespace gasan::lift

#endif
