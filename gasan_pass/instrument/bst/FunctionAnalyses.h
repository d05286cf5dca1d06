/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Provides LLVM's analyses of a function. They stay valid as long as instructions are only inserted and no block is
// split.
#ifndef GASAN_PASS_INSTRUMENT_BST_FUNCTIONANALYSES_H
#define GASAN_PASS_INSTRUMENT_BST_FUNCTIONANALYSES_H

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

namespace gasan {

struct FunctionAnalyses {
  llvm::TargetLibraryInfoImpl Libraries;
  llvm::TargetLibraryInfo Library;
  llvm::AssumptionCache Assumptions;
  llvm::DominatorTree Tree;
  llvm::LoopInfo Loops;
  llvm::ScalarEvolution Believing;   // relies on the language's promises
  llvm::ScalarEvolution PromiseFree; // to be used in a PromiseFreeScope only (Promises.h)

  explicit FunctionAnalyses(llvm::Function &F)
      : Libraries(F.getParent()->getTargetTriple()), Library(Libraries), Assumptions(F), Tree(F), Loops(Tree),
        Believing(F, Library, Assumptions, Tree, Loops), PromiseFree(F, Library, Assumptions, Tree, Loops) {}

  // Returns the distance from From to To in bytes. Empty: the distance is not constant.
  //
  // Relies on the promise that indices do not wrap, by the rule in Promises.h. `i + 1` wraps only if i is the greatest
  // 32-bit number. Then one of array[i] and array[i + 1] is 2^32 elements away from where the distance implies. The
  // bytes from one access to the expected place of the other exceed every object of less than 2^31 elements. So a check
  // that covers both accesses' bytes, relative to either access, reports.
  std::optional<int64_t> distance(llvm::Value *From, llvm::Value *To);

  struct Offsets {
    llvm::Value *Base;
    llvm::ConstantRange Range; // in bytes, signed, 64 bits
  };

  // Returns the value that the pointer is derived from (a variable, or another value that the analysis does not look
  // into), and the offsets from it that the pointer can have even if promises are broken. Must be called in a
  // PromiseFreeScope.
  std::optional<Offsets> offsets(llvm::Value *Pointer);
};

} // namespace gasan

#endif
