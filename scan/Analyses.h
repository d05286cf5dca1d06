/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Facts about a function's blocks that the executor needs.
#ifndef GASAN_SCAN_ANALYSES_H
#define GASAN_SCAN_ANALYSES_H

#include "scan/Effects.h"
#include "scan/Executor.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"

namespace gasan::scan {

struct Executor::Analyses {
  explicit Analyses(llvm::Function &Code) : Tree(Code), Loops(Tree), Limit(findEffects(Code)) {
    llvm::ReversePostOrderTraversal<llvm::Function *> Blocks(&Code);
    llvm::DenseMap<const llvm::BasicBlock *, unsigned> Position;
    for (const llvm::BasicBlock *Block : Blocks) {
      Position[Block] = Order.size();
      Order.push_back(Block);
    }
    for (const llvm::BasicBlock *Block : Order)
      for (const llvm::BasicBlock *Next : llvm::successors(Block))
        if (Position[Next] <= Position[Block]) { // a way back must lead to the header of a loop with the block
          const llvm::Loop *L = Loops.getLoopFor(Next);
          Irreducible |= !L || L->getHeader() != Next || !L->contains(Block);
        }
  }

  llvm::DominatorTree Tree;
  llvm::LoopInfo Loops;
  Effects Limit;
  std::vector<const llvm::BasicBlock *> Order;
  bool Irreducible = false;
};

} // namespace gasan::scan

#endif
