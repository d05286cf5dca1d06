/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What LLVM knows of a function while nothing has been put into it but instructions: no block was split yet.
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
  llvm::ScalarEvolution Believing;   // takes the language's promises for facts
  llvm::ScalarEvolution PromiseFree; // asked in a PromiseFreeScope only (Promises.h)

  explicit FunctionAnalyses(llvm::Function &F)
      : Libraries(F.getParent()->getTargetTriple()), Library(Libraries), Assumptions(F), Tree(F), Loops(Tree),
        Believing(F, Library, Assumptions, Tree, Loops), PromiseFree(F, Library, Assumptions, Tree, Loops) {}

  // Returns how far To is from From in bytes; empty: it is not the same each time.
  // Believes that indices do not wrap, by the rule in Promises.h: `i + 1` wraps only if i is the greatest number of 32
  // bits. So one of array[i] and array[i + 1] is 2^32 elements from where the distance says, and the bytes from the one
  // to where the other ought to be leave every object of less than 2^31 elements. Whoever compares the bytes of both,
  // off either, reports.
  std::optional<int64_t> distance(llvm::Value *From, llvm::Value *To);

  struct Offsets {
    llvm::Value *Base;
    llvm::ConstantRange Range; // in bytes, signed, 64 bits
  };

  // Returns the variable (or whatever is not looked into) that the pointer is made of, and the offsets from it that the
  // pointer can have, whatever promise is broken. Must be called in a PromiseFreeScope.
  std::optional<Offsets> offsets(llvm::Value *Pointer);
};

} // namespace gasan

#endif
