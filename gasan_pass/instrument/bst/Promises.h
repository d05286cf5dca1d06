/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Suspends promises of the language and of LLVM's flags, and defines which conclusions the pass may draw from them.
//
// The rule: a check may be left out, merged, hoisted or weakened because of a promise only if breaking the promise
// implies that an earlier access, or the same one, is reported. Nothing reports a sum that wraps, a false `assume` or a
// loop that steps over its end. So code that leaves a check out uses analyses that know no promises:
//   - promises that no later pass needs are dropped from the module for good;
//   - flags of instructions, which the code generator needs, are suspended while a PromiseFreeScope lives.
// Where a promise is used all the same, the comment there names the promise and says why the rule holds.
#ifndef GASAN_PASS_INSTRUMENT_BST_PROMISES_H
#define GASAN_PASS_INSTRUMENT_BST_PROMISES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"

namespace gasan {

// Drops llvm.assume, and the attributes and metadata that promise values (range, nonnull, align, dereferenceable).
// Keeps the facts of LLVM's intrinsics, which the hardware guarantees, and the alignment of parameters passed by value.
void dropPromises(llvm::Module &M);

// Drops what promises that memory exists (dereferenceable), before the optimiser loads early because of it. Keeps it
// for parameters passed by value.
void dropPromisedMemory(llvm::Module &M);

// Drops the conditions that `assume` promises, before the optimiser runs: it would decide checks by them. Promised
// alignments stay, because the optimiser joins accesses by them.
void dropAssumedConditions(llvm::Module &M);

// Returns the offset as the machine has it, to be compared with the limit. It is frozen: a later pass would decide the
// comparison by the flags of the instructions that compute the offset (`99 - i` with nuw is less than 100). It is not
// frozen if a range that holds without flags decides the comparison.
llvm::Value *withoutPromises(llvm::IRBuilderBase &B, llvm::Value *Offset, llvm::Value *Limit);

// Suspends, during its life, the flags that promise results (nsw, nuw, exact, disjoint, nneg, samesign, inbounds) and
// loop ends (mustprogress, willreturn). Instructions inserted meanwhile keep their flags; deleted ones are forgotten.
class PromiseFreeScope {
public:
  explicit PromiseFreeScope(llvm::Function &F);
  ~PromiseFreeScope();
  PromiseFreeScope(const PromiseFreeScope &) = delete;
  PromiseFreeScope &operator=(const PromiseFreeScope &) = delete;

private:
  struct Flags {
    llvm::WeakVH Of;
    bool HasNoUnsignedWrap, HasNoSignedWrap, IsExact, IsDisjoint, IsNonNegative, HasSameSign;
    llvm::GEPNoWrapFlags OfAddress;
  };
  struct LoopNote {
    llvm::WeakVH Of;
    llvm::MDNode *Note;
  };

  llvm::Function &F;
  llvm::SmallVector<llvm::Attribute::AttrKind, 2> OfEnd;
  llvm::SmallVector<Flags, 0> Suspended;
  llvm::SmallVector<LoopNote, 0> Loops;

  static Flags flagsOf(llvm::Instruction &I);
  static void setFlags(llvm::Instruction &I, const Flags &To);
};

} // namespace gasan

#endif
