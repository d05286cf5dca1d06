/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Computes, before a loop, the number of its rounds and its addresses in each round.
//
// Relies on no promise (Promises.h). The number of rounds is either certain, or a guess that is tested before the loop.
// LLVM's own number is such a guess: for `i != n; i += 4` it assumes that n is a multiple of 4. A guess is accepted
// only if the loop's own test, evaluated for that round, ends the loop. Values are those that the machine computes: a
// 32-bit sum wraps. If an address is linear only as long as such a sum does not wrap, that is tested, too.
#ifndef GASAN_PASS_INSTRUMENT_BST_LOOPROUNDS_H
#define GASAN_PASS_INSTRUMENT_BST_LOOPROUNDS_H

#include "gasan_pass/instrument/bst/Addresses.h"
#include "gasan_pass/instrument/bst/FunctionAnalyses.h"
#include "gasan_pass/instrument/bst/RootBounds.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace gasan {

// LLVM's guesses, by exit of the loop.
using GuessedRounds = llvm::SmallVector<std::pair<llvm::BasicBlock *, const llvm::SCEV *>, 2>;

// Must be called outside of any PromiseFreeScope.
GuessedRounds guessRounds(FunctionAnalyses &A, const llvm::Loop &L);

// The rounds of one loop in simplified form. Must live inside a PromiseFreeScope. Inserts instructions before the
// preheader's terminator.
class LoopRounds {
public:
  LoopRounds(FunctionAnalyses &A, llvm::Loop &L, const GuessedRounds &Guesses);

  // Returns true if the number of rounds can be tested before the loop, and copying the loop is worth its cost.
  bool areCountable();

  // Returns true if the loop certainly has so few rounds that copying it is not worth its cost.
  bool areFew();

  struct Line {
    const llvm::SCEV *Start, *Step; // null: the address stays the same
  };

  // Returns the pointer's addresses in all rounds. Empty: they are not known before the loop.
  std::optional<Line> lineOf(llvm::Value *Pointer);

  // Returns an i1: in all rounds, all bytes from Lowest on that a check with this limit compares are in bounds. Holds
  // only if areAsAssumed() is true, too.
  llvm::Value *allGood(const Line &Of, llvm::Type *PointerType, int64_t Lowest, llvm::Value *Base, llvm::Value *Limit);

  // Returns a 32-bit index in all rounds, as the machine computes it. Empty: it is not known before the loop, or stays
  // the same, or its step is not constant.
  std::optional<Line> lineOfIndex(llvm::Value *Index);

  // Returns an i1: in all rounds, the index plus Shift (an i32) is below Count (an i32), compared without sign. Holds
  // only if areAsAssumed() is true, too.
  llvm::Value *allBelow(const Line &Of, llvm::Value *Shift, llvm::Value *Count);

  // Returns an i1: the number of rounds and the lines are correct. Must be called last.
  llvm::Value *areAsAssumed();

private:
  FunctionAnalyses &A;
  llvm::ScalarEvolution &SE; // relies on no promise
  llvm::Loop &L;
  llvm::PredicatedScalarEvolution Assuming;
  llvm::SCEVExpander Expander, GuessExpander;
  llvm::Instruction *At;
  const llvm::SCEV *Certain; // rounds
  GuessedRounds Guesses;
  Addresses Numbers;
  llvm::Value *Rounds = nullptr;  // i64
  llvm::Value *IsRight = nullptr; // i1: Rounds is right

  BoundsBuilder builder();
  bool isExpandable(const llvm::SCEV *S);
  bool isCertain();
  llvm::Value *rounds();
  llvm::Value *small(BoundsBuilder &B, const llvm::SCEV *S, bool IsSigned, llvm::Value *&Good);
  llvm::Value *valueAt(llvm::Value *V, llvm::Value *Round);
  llvm::Value *holdsAt(llvm::Value *Condition, bool Value, llvm::Value *Round);
  llvm::Value *endsAt(const llvm::BasicBlock &Exit, llvm::Value *Round);
  llvm::Value *holds(const llvm::SCEVPredicate &P);
};

} // namespace gasan

#endif
