/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the variables or arguments to which pointers of unoptimised code may point. Follows pointers through
// arithmetic, merges, local pointer variables, and functions that return an argument. Does not follow other memory.
#ifndef GASAN_PASS_INSTRUMENT_BST_POINTERFLOW_H
#define GASAN_PASS_INSTRUMENT_BST_POINTERFLOW_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace gasan {

// For functions with a body: the pointer arguments from which the result may be derived.
class ReturnedArguments {
public:
  const llvm::BitVector &of(const llvm::Function &F);

private:
  llvm::DenseMap<const llvm::Function *, llvm::BitVector> Known; // no bit while the function is being examined
};

class PointerFlow {
public:
  // `Roots`: allocas or arguments of F. F must not change during this object's life.
  PointerFlow(const llvm::Function &F, llvm::ArrayRef<const llvm::Value *> Roots, ReturnedArguments &Returned);

  // Returns the numbers of the roots that the pointer may lead to.
  llvm::BitVector rootsOf(const llvm::Value &Pointer) const;

  // Returns the pointer variable at this address, if that variable is only loaded and stored. Otherwise null.
  static const llvm::AllocaInst *slotOf(const llvm::Value &Address);
  // Returns the pointer to the same object from which this pointer is computed. Null: there is none.
  static const llvm::Value *stepFrom(const llvm::Value &Pointer);
  // Returns the arguments that the call may return.
  static llvm::SmallVector<const llvm::Value *, 2> givenBack(const llvm::CallBase &Call, ReturnedArguments &Returned);

private:
  using State = llvm::SmallVector<llvm::BitVector, 8>; // by slot

  ReturnedArguments &Returned;
  unsigned Count;
  llvm::DenseMap<const llvm::Value *, unsigned> RootNumbers, SlotNumbers;
  llvm::DenseMap<const llvm::Value *, llvm::BitVector> Values; // results of loads, merges and calls; absent: no roots
  llvm::DenseMap<const llvm::BasicBlock *, State> Out;

  bool step(const llvm::BasicBlock &Block);
  bool apply(State &At, const llvm::Instruction &I);
  bool add(const llvm::Value &Of, const llvm::BitVector &Roots);
};

} // namespace gasan

#endif
