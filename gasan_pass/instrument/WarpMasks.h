/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Checks that a thread which calls a warp operation is in the operation's mask: a lane that is not gets an undefined
// result.
//
//   if ((mask & %lanemask_eq) == 0)     no instruction if the mask is constant with all lanes, or contains the lane for
//   certain
//     __gasan_report_bounds(...)        does not return
//
// The check asks about its own thread only. It stands in front of the operation, in the same control flow: nothing
// convergent is moved.
#ifndef GASAN_PASS_INSTRUMENT_WARPMASKS_H
#define GASAN_PASS_INSTRUMENT_WARPMASKS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/IR/Function.h"

namespace gasan {

// A call of LLVM's intrinsic for such an operation, or inline PTX that has one.
bool hasWarpMask(const llvm::Instruction &I);

// Inlines the functions of clang's and CUDA's headers that __shfl_sync, surf2Dread and the like are, so that at -O0,
// too, a report names the program's line. Call before the call graph is read.
void inlineHeaderFunctions(llvm::Module &M);

void checkWarpMasks(llvm::Function &F, SiteTable &Sites);

} // namespace gasan

#endif
