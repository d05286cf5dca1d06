/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Which local variables are in scope: clang's lifetime markers, which the optimiser keeps in functions that are
// `sanitize_address`.
#ifndef GASAN_PASS_INSTRUMENT_BST_SCOPES_H
#define GASAN_PASS_INSTRUMENT_BST_SCOPES_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gasan {

class Scopes {
public:
  // Nothing was put into F yet.
  void enter(llvm::Function &F);

  // i1, computed in front of `At`, an instruction that F had when it was entered: is the variable in its scope? Null:
  // for certain.
  llvm::Value *aliveAt(const llvm::AllocaInst &Variable, llvm::Instruction &At);

  // What aliveAt() put in becomes values; blocks may have been split since.
  void leave(llvm::Function &F);

private:
  struct Variable {
    llvm::SmallVector<llvm::LifetimeIntrinsic *, 4> Markers;
    llvm::AllocaInst *Flag = nullptr; // is it in scope? Made when somebody asks
  };
  llvm::SmallVector<Variable, 8> Variables;
  llvm::DenseMap<const llvm::AllocaInst *, unsigned> Numbers;
  llvm::SmallVector<llvm::BitVector, 8> States;                // variables that are in scope on all ways
  llvm::DenseMap<const llvm::Instruction *, unsigned> StateIn; // of an instruction that accesses memory: before it

  void findMarkers(llvm::Function &F);
  void flow(llvm::Function &F);
  void apply(llvm::BitVector &State, const llvm::Instruction &I) const;
  llvm::AllocaInst *flagOf(Variable &V, llvm::Function &F);
};

} // namespace gasan

#endif
