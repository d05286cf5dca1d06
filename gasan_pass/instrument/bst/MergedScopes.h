// Pointers that may lead to one of several variables, or to a variable or something else: which of them is it, at run time?
#ifndef GASAN_PASS_INSTRUMENT_BST_MERGEDSCOPES_H
#define GASAN_PASS_INSTRUMENT_BST_MERGEDSCOPES_H

#include "gasan_pass/instrument/bst/PointerSteps.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/ValueHandle.h"

namespace gasan {

class MergedScopes {
public:
  // `Made`: gets what is put in.
  MergedScopes(PointerSteps &Steps, const llvm::DominatorTree &Tree, llvm::SmallVectorImpl<llvm::WeakTrackingVH> &Made)
      : Steps(Steps), Tree(Tree), Made(Made) {}

  // The size for an access `At` by the pointer: 0 if it leads to a variable that is out of scope, else B's.
  llvm::Value *sizeAt(llvm::Value *Pointer, const Bounds &B, llvm::Instruction &At, VariableBounds &Variables);

private:
  using Key = std::pair<llvm::Value *, llvm::AllocaInst *>;
  PointerSteps &Steps;
  const llvm::DominatorTree &Tree;
  llvm::SmallVectorImpl<llvm::WeakTrackingVH> &Made;
  llvm::DenseMap<llvm::Value *, llvm::SmallVector<llvm::AllocaInst *, 2>> Variables; // by pointer
  llvm::DenseMap<Key, llvm::Instruction *> Leads; // by merge
  llvm::SmallVector<Key, 4> Unfilled;

  llvm::ArrayRef<llvm::AllocaInst *> variablesOf(llvm::Value *Pointer);
  llvm::Value *sourceOf(llvm::Value *Pointer);
  llvm::Value *leads(llvm::Value *Pointer, llvm::AllocaInst &Variable);
  llvm::Value *leadsNow(llvm::Value *Pointer, llvm::AllocaInst &Variable);
};

} // namespace gasan

#endif
