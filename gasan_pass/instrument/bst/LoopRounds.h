/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// How often a loop goes round, and where its addresses are in each round, as values in front of the loop.
//
// Nothing here believes a promise (Promises.h). How often a loop goes round is either certain, or a guess that is
// tested in front of the loop: LLVM's own number, which for `i != n; i += 4` takes it that n is a multiple of 4, is
// good only if the loop's test, put at that round, ends the loop. Values are what the machine computes: a sum of 32
// bits wraps. Where an address is linear only if such a sum does not wrap in any round, that is tested too.
#ifndef GASAN_PASS_INSTRUMENT_BST_LOOPROUNDS_H
#define GASAN_PASS_INSTRUMENT_BST_LOOPROUNDS_H

#include "gasan_pass/instrument/bst/FunctionAnalyses.h"
#include "gasan_pass/instrument/bst/RootBounds.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace gasan {

// LLVM's numbers of rounds, by exit of a loop.
using GuessedRounds = llvm::SmallVector<std::pair<llvm::BasicBlock *, const llvm::SCEV *>, 2>;

// Must be called outside of any PromiseFreeScope.
GuessedRounds guessRounds(FunctionAnalyses &A, const llvm::Loop &L);

// Of one loop in simplified form. Must live inside a PromiseFreeScope. Instructions go in front of the preheader's end.
class LoopRounds {
public:
  LoopRounds(FunctionAnalyses &A, llvm::Loop &L, const GuessedRounds &Guesses);

  // Is there a number of rounds that may be tested in front of the loop, and is the loop worth it?
  bool areCountable();

  struct Line {
    const llvm::SCEV *Start, *Step; // null: the address stays the same
  };

  // The pointer's addresses in all rounds; empty: they are not known in front of the loop.
  std::optional<Line> lineOf(llvm::Value *Pointer);

  // i1: all bytes that a check with this limit compares, from Lowest on, are good in all rounds, provided that
  // areAsAssumed().
  llvm::Value *allGood(const Line &Of, llvm::Type *PointerType, int64_t Lowest, llvm::Value *Base, llvm::Value *Limit);

  // i1: the number of rounds and the lines are right. Must be asked for last.
  llvm::Value *areAsAssumed();

private:
  FunctionAnalyses &A;
  llvm::ScalarEvolution &SE; // without promises
  llvm::Loop &L;
  llvm::PredicatedScalarEvolution Assuming;
  llvm::SCEVExpander Expander, GuessExpander;
  llvm::Instruction *At;
  const llvm::SCEV *Certain; // rounds
  GuessedRounds Guesses;
  llvm::Value *Rounds = nullptr;  // i64
  llvm::Value *IsRight = nullptr; // i1: of Rounds

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
