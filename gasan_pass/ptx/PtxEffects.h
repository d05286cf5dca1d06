/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds inline PTX without effects.
#ifndef GASAN_PASS_PTX_PTXEFFECTS_H
#define GASAN_PASS_PTX_PTXEFFECTS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Marks the calls of inline PTX that only computes: they may be copied, and run by any of a warp's threads. Clang calls
// every inline asm convergent, and says of none that it returns. CUDA's headers have inline PTX for each conversion and
// sum of half-precision numbers, so without this no loop over such numbers could be copied.
void markComputations(llvm::Module &M);

} // namespace gasan

#endif
