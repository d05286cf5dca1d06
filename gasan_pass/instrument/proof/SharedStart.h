/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds out how dynamic shared memory is aligned.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_SHAREDSTART_H
#define GASAN_PASS_INSTRUMENT_PROOF_SHAREDSTART_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Alignment.h"

namespace gasan {

// Returns the alignment that the start of the kernel's dynamic shared memory has at least. It comes behind the static
// shared variables. If the kernel and the functions that it calls have none, it is where the block's shared memory
// starts, whatever alignment its variable asks for.
llvm::Align alignmentOfDynamicShared(const llvm::Function &Kernel);

} // namespace gasan

#endif
