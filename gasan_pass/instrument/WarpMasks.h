/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Checks that a thread which calls a warp operation is in the operation's mask. A lane outside of the mask gets an
// undefined result.
//
//   if ((mask & %lanemask_eq) == 0)     left out if the mask is the constant of all lanes, or certainly has the lane
//     __gasan_report_bounds(...)        does not return
//
// The check concerns its own thread only. It precedes the operation in the same control flow, so nothing convergent
// moves.
#ifndef GASAN_PASS_INSTRUMENT_WARPMASKS_H
#define GASAN_PASS_INSTRUMENT_WARPMASKS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/IR/Function.h"

namespace gasan {

// Returns true for calls of LLVM's intrinsics for such operations, and for inline PTX that has one.
bool hasWarpMask(const llvm::Instruction &I);

// Inlines the functions of clang's and CUDA's headers that implement __shfl_sync, surf2Dread and the like, so that a
// report names the program's line, at -O0 too. Must be called before the call graph is read.
void inlineHeaderFunctions(llvm::Module &M);

void checkWarpMasks(llvm::Function &F, SiteTable &Sites);

} // namespace gasan

#endif
