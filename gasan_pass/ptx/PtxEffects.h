/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds PTX without effects.
#ifndef GASAN_PASS_PTX_PTXEFFECTS_H
#define GASAN_PASS_PTX_PTXEFFECTS_H

#include "gasan_pass/ptx/PtxText.h"
#include "llvm/IR/Module.h"

namespace gasan {

// Returns true for a declaration, and for an instruction that computes its result from its operands, the carry or a
// special register, without access to memory, jumps or exchange between threads.
bool onlyComputes(const PtxStatement &S);

// Marks the calls of inline PTX that only computes: such calls may be copied, and executed by any subset of a warp's
// threads. Clang marks every inline asm as convergent, and none as willreturn. CUDA's headers have inline PTX for each
// conversion and sum of half-precision numbers, so without this no loop over such numbers could be copied.
void markComputations(llvm::Module &M);

} // namespace gasan

#endif
