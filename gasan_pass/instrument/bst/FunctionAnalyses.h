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
  llvm::ScalarEvolution SE;

  explicit FunctionAnalyses(llvm::Function &F)
      : Libraries(F.getParent()->getTargetTriple()), Library(Libraries), Assumptions(F), Tree(F), Loops(Tree),
        SE(F, Library, Assumptions, Tree, Loops) {}

  // How far To is from From; empty: it is not the same each time.
  std::optional<int64_t> distance(llvm::Value *From, llvm::Value *To);

  // The byte offsets, signed, that the pointer can have from the variable that it points into; full: nothing is known.
  llvm::ConstantRange offsets(llvm::Value *Pointer, const llvm::Value *Variable);
};

} // namespace gasan

#endif
