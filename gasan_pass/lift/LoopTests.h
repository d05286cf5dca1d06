/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Gives tests for equality the form in which the launch proof counts a loop's rounds.
#ifndef GASAN_PASS_LIFT_LOOPTESTS_H
#define GASAN_PASS_LIFT_LOOPTESTS_H

#include "llvm/IR/PassManager.h"

namespace gasan::lift {

// nvcc's counters run from the negative number of rounds to 0, or beside it. LLVM makes tests of such sums that compare
// `-4 - i` with `(n & 3) - n`. In functions from PTX, this pass makes `i + 4` and `n & -4` of it. Must run behind
// LLVM's optimiser, and in front of the checks.
struct LoopTestsPass : llvm::PassInfoMixin<LoopTestsPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses);
};

} // namespace gasan::lift

#endif
