/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Checks accesses that certainly leave a local or constant array: at a constant index, or in some round of a loop with
// a constant number of rounds.
//
//   float values[4];
//   for (int i = 0; i <= 4; ++i)
//     sum += values[i];
//
// LLVM unrolls such a loop, and then drops the access outside of the array. So the check is inserted before that, at
// PipelineStart and behind each InstCombine. It compares the offset in each round. Functions without such an access
// stay unchanged, because a check in the middle of the pipeline hinders optimisations.
//
// The offset is computed without promises (Promises.h). Only the decision to insert a check relies on them.
#ifndef GASAN_PASS_INSTRUMENT_BST_CERTAINOVERFLOWS_H
#define GASAN_PASS_INSTRUMENT_BST_CERTAINOVERFLOWS_H

#include "llvm/IR/PassManager.h"

namespace gasan {

struct CertainOverflowsPass : llvm::PassInfoMixin<CertainOverflowsPass> {
  bool InLoops; // false: constant indices only, as long as the variables of loops are in memory
  explicit CertainOverflowsPass(bool InLoops) : InLoops(InLoops) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses);
  static bool isRequired() { return true; }
};

} // namespace gasan

#endif
