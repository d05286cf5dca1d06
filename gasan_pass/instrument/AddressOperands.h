/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the operands through which an instruction accesses memory. Needed for code whose pointers are not plain
// addresses: handles and tagged pointers.
#ifndef GASAN_PASS_INSTRUMENT_ADDRESSOPERANDS_H
#define GASAN_PASS_INSTRUMENT_ADDRESSOPERANDS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace gasan {

// Returns the address operands in the order of the accesses: pointers, and integers that inline PTX uses as addresses.
llvm::SmallVector<llvm::Use *, 4> addressOperands(llvm::Instruction &I);

// Returns the other integer operands of inline PTX that may be addresses: the PTX uses them in ways that the pass does
// not understand.
llvm::SmallVector<llvm::Use *, 4> possibleAddresses(llvm::CallInst &Asm);

} // namespace gasan

#endif
