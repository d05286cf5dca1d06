/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds merges (phis and selects) that are roots themselves. The merged pointer is looked up once, after the merge.
// Otherwise each incoming pointer would be looked up where it is loaded, and its bounds would occupy registers until
// the merge.
//
//   node = load link of a child, here or there         no bounds
//   if (node == null) ...
//   node = phi(the first one, child, other child)      bounds
#ifndef GASAN_PASS_INSTRUMENT_BST_MERGEDROOTS_H
#define GASAN_PASS_INSTRUMENT_BST_MERGEDROOTS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include <functional>

namespace gasan {

class MergedRoots {
public:
  // IsLookedUp: returns true for an argument whose bounds have to be looked up.
  MergedRoots(const llvm::DominatorTree &Tree, std::function<bool(const llvm::Argument &)> IsLookedUp)
      : Loops(Tree), IsLookedUp(std::move(IsLookedUp)) {}

  bool contains(llvm::Instruction &Merge);

private:
  llvm::LoopInfo Loops;
  std::function<bool(const llvm::Argument &)> IsLookedUp;
  llvm::DenseMap<llvm::Instruction *, bool> Found; // not affected by instructions inserted later

  bool find(llvm::Instruction &Merge) const;
  bool runsAsOften(const llvm::Value &V, const llvm::BasicBlock &As) const;
};

} // namespace gasan

#endif
