/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Determines the alignment of dynamic shared memory.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_SHAREDSTART_H
#define GASAN_PASS_INSTRUMENT_PROOF_SHAREDSTART_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Alignment.h"

namespace gasan {

// Returns the least alignment of the start of the kernel's dynamic shared memory. Dynamic shared memory comes after the
// static shared variables. If the kernel and the functions that it calls have no static ones, dynamic shared memory
// begins where the block's shared memory begins, whatever alignment its variable has.
llvm::Align alignmentOfDynamicShared(const llvm::Function &Kernel);

} // namespace gasan

#endif
