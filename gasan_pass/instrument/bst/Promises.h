/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Suspends promises of the language and of LLVM's flags, and states which conclusions the pass may draw from promises.
//
// The rule: a check may be left out, merged, hoisted or weakened because of a promise only if breaking the promise
// implies that an earlier access, or the same one, is reported. Nothing reports a sum that wraps, a false `assume` or a
// loop that steps over its end. So code that leaves a check out uses analyses that know no promises:
//   - promises that no later pass needs are dropped from the module for good;
//   - flags of instructions, which the code generator needs, are suspended while a PromiseFreeScope lives.
// Where the pass does use a promise, the comment there names the promise and says why the rule holds.
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

// Drops the attributes and metadata that promise that memory exists (dereferenceable), before the optimiser speculates
// loads because of them. Keeps them for parameters passed by value.
void dropPromisedMemory(llvm::Module &M);

// Drops the conditions that `assume` promises, before the optimiser runs: otherwise it would decide checks by them.
// Keeps promised alignments, because the optimiser uses them to join accesses.
void dropAssumedConditions(llvm::Module &M);

// Returns the offset as the machine computes it, for the comparison with the limit. The offset is frozen: otherwise a
// later pass could decide the comparison by the flags of the instructions that compute the offset (`99 - i` with nuw is
// less than 100). The offset is not frozen if a range that holds without flags decides the comparison.
llvm::Value *withoutPromises(llvm::IRBuilderBase &B, llvm::Value *Offset, llvm::Value *Limit);

// Suspends, during its lifetime, the flags that promise results (nsw, nuw, exact, disjoint, nneg, samesign, inbounds)
// and loop ends (mustprogress, willreturn). Instructions that are inserted during its lifetime keep their flags;
// deleted instructions are ignored.
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
