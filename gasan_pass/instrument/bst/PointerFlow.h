/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Which variables, or arguments, the pointers of unoptimised code may lead to. Pointers are followed through
// arithmetic, merges, local pointer variables and functions that give back what they were given; not through other
// memory.
#ifndef GASAN_PASS_INSTRUMENT_BST_POINTERFLOW_H
#define GASAN_PASS_INSTRUMENT_BST_POINTERFLOW_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace gasan {

// Of functions with a body: which pointer arguments the result may lead to.
class ReturnedArguments {
public:
  const llvm::BitVector &of(const llvm::Function &F);

private:
  llvm::DenseMap<const llvm::Function *, llvm::BitVector> Known; // while it is looked at: none
};

class PointerFlow {
public:
  // `Roots`: what is asked about; allocas or arguments of F, which stays as it is.
  PointerFlow(const llvm::Function &F, llvm::ArrayRef<const llvm::Value *> Roots, ReturnedArguments &Returned);

  // The numbers of the roots that the pointer may lead to.
  llvm::BitVector rootsOf(const llvm::Value &Pointer) const;

  // A variable of F that holds a pointer and is nothing but loaded and stored.
  static const llvm::AllocaInst *slotOf(const llvm::Value &Address);
  // The pointer that this one is made of, in the same object; null: it is none of that kind.
  static const llvm::Value *stepFrom(const llvm::Value &Pointer);
  // Of a call that returns a pointer: the arguments that it may give back.
  static llvm::SmallVector<const llvm::Value *, 2> givenBack(const llvm::CallBase &Call, ReturnedArguments &Returned);

private:
  using State = llvm::SmallVector<llvm::BitVector, 8>; // by slot

  ReturnedArguments &Returned;
  unsigned Count;
  llvm::DenseMap<const llvm::Value *, unsigned> RootNumbers, SlotNumbers;
  llvm::DenseMap<const llvm::Value *, llvm::BitVector> Values; // results of loads, merges and calls; absent: none
  llvm::DenseMap<const llvm::BasicBlock *, State> Out;

  bool step(const llvm::BasicBlock &Block);
  bool apply(State &At, const llvm::Instruction &I);
  bool add(const llvm::Value &Of, const llvm::BitVector &Roots);
};

} // namespace gasan

#endif
