/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Merges (phis and selects) that are roots of their own: what comes together there is looked up behind, once, instead
// of each of it where it comes from memory, one lookup a place with bounds that wait in registers.
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
  // Of an argument: would it be looked up?
  MergedRoots(const llvm::DominatorTree &Tree, std::function<bool(const llvm::Argument &)> IsLookedUp)
      : Loops(Tree), IsLookedUp(std::move(IsLookedUp)) {}

  bool contains(llvm::Instruction &Merge);

private:
  llvm::LoopInfo Loops;
  std::function<bool(const llvm::Argument &)> IsLookedUp;
  llvm::DenseMap<llvm::Instruction *, bool> Found; // what is put in later changes nothing

  bool find(llvm::Instruction &Merge) const;
  bool runsAsOften(const llvm::Value &V, const llvm::BasicBlock &As) const;
};

} // namespace gasan

#endif
