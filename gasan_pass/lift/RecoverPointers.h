/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Turns sums of addresses, which are numbers in PTX, into pointers and steps from them.
#ifndef GASAN_PASS_LIFT_RECOVERPOINTERS_H
#define GASAN_PASS_LIFT_RECOVERPOINTERS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"

namespace gasan::lift {

// Parameters that some accesses use as an address, and others perhaps as a distance, as a test says.
using UnclearParameters = llvm::SmallPtrSet<const llvm::Value *, 16>;

// Must be called when registers are values. The addresses stay the same numbers. Adds to Unclear, whose parameters do
// not become pointers.
void recoverPointers(llvm::Function &F, UnclearParameters &Unclear);
// Gives a function's parameters that are used as pointers the type of pointers, unless the function's address is used,
// or the use is unclear. Returns the function, which may be new; then the addresses that calls pass are numbers that
// are not recovered yet.
llvm::Function *recoverParameters(llvm::Function &F, UnclearParameters &Unclear);

} // namespace gasan::lift

#endif
