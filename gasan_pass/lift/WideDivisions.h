/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Gives divisions of 64 bits back to ptxas as they were.
#ifndef GASAN_PASS_LIFT_WIDEDIVISIONS_H
#define GASAN_PASS_LIFT_WIDEDIVISIONS_H

#include "llvm/IR/PassManager.h"

namespace gasan::lift {

// LLVM's back end puts a branch in front of each division of 64 bits, which takes the division of 32 bits if both
// numbers are small. PTX of nvcc and of LLVM has this branch already. So in functions from PTX these divisions become
// text, which must be the last change before the back end.
struct WideDivisionsPass : llvm::PassInfoMixin<WideDivisionsPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses);
};

} // namespace gasan::lift

#endif
