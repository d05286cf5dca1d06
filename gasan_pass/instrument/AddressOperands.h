/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Where the addresses are that an instruction accesses memory by, for code whose pointers are not addresses (handles,
// tags).
#ifndef GASAN_PASS_INSTRUMENT_ADDRESSOPERANDS_H
#define GASAN_PASS_INSTRUMENT_ADDRESSOPERANDS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace gasan {

// The operands that I accesses memory by, in the order of the accesses: pointers, and integers that inline PTX makes
// addresses of.
llvm::SmallVector<llvm::Use *, 4> addressOperands(llvm::Instruction &I);

// Integers of inline PTX that are none of those, but may be addresses of accesses that nobody has understood.
llvm::SmallVector<llvm::Use *, 4> possibleAddresses(llvm::CallInst &Asm);

} // namespace gasan

#endif
