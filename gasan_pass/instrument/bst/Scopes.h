/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Determines which local variables are in scope, from clang's lifetime markers. The optimiser keeps these markers in
// functions that are `sanitize_address`.
#ifndef GASAN_PASS_INSTRUMENT_BST_SCOPES_H
#define GASAN_PASS_INSTRUMENT_BST_SCOPES_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gasan {

class Scopes {
public:
  // Must be called before anything is inserted into F.
  void enter(llvm::Function &F);

  // Returns an i1, computed before `At`: the variable is in scope. Null: the variable is certainly in scope. `At` must
  // have been in F when enter() was called.
  llvm::Value *aliveAt(const llvm::AllocaInst &Variable, llvm::Instruction &At);

  // Promotes the flags of aliveAt() to values. Blocks may have been split since.
  void leave(llvm::Function &F);

private:
  struct Variable {
    llvm::SmallVector<llvm::LifetimeIntrinsic *, 4> Markers;
    llvm::AllocaInst *Flag = nullptr; // i1 in memory: in scope; made at first use
  };
  llvm::SmallVector<Variable, 8> Variables;
  llvm::DenseMap<const llvm::AllocaInst *, unsigned> Numbers;
  llvm::SmallVector<llvm::BitVector, 8> States;                // variables that are in scope on all paths
  llvm::DenseMap<const llvm::Instruction *, unsigned> StateIn; // of an instruction that accesses memory: before it

  void findMarkers(llvm::Function &F);
  void flow(llvm::Function &F);
  void apply(llvm::BitVector &State, const llvm::Instruction &I) const;
  llvm::AllocaInst *flagOf(Variable &V, llvm::Function &F);
};

} // namespace gasan

#endif
