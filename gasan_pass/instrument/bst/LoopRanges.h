/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Bounds, before a loop, the values of an index in it, if the number of rounds is not known: the places in two lists
// that are merged, the middle of a binary search.
//
// Relies on no promise (Promises.h): each rule also excludes that the sums of the loop wrap. The conclusions come from
// tests in the loop, and from tests of the start values, which are made before the loop.
//
//   rising     i starts with `first`, a round adds 1 or nothing, and both this and the access happen only if i < end:
//              i is one of first, ..., end - 1
//   falling    i starts with `last`, a round subtracts 1 or nothing, and both happen only if i >= end: end, ..., last
//   searching  a round replaces `low` by the middle or the number behind it, or `high` by the middle or the number
//              before it, while low <= high: the middle is one of low, ..., high as they are before the loop
#ifndef GASAN_PASS_INSTRUMENT_BST_LOOPRANGES_H
#define GASAN_PASS_INSTRUMENT_BST_LOOPRANGES_H

#include "gasan_pass/instrument/bst/FunctionAnalyses.h"
#include "gasan_pass/instrument/bst/RootBounds.h"
#include "llvm/ADT/MapVector.h"

namespace gasan {

// A number that the loop does not change, plus a constant, in the index's width.
struct LoopNumber {
  llvm::Value *Of = nullptr;
  int64_t Plus = 0;
};

// The index is one of First, First + 1, ..., Last in each round. These sums may wrap.
struct LoopRange {
  struct Test {
    llvm::CmpInst::Predicate Predicate;
    LoopNumber Left, Right;
  };
  LoopNumber First, Last;
  llvm::SmallVector<Test, 3> Tests;           // must hold before the loop
  llvm::SmallVector<llvm::Value *, 2> Summed; // must be from 0 to a quarter of the numbers
};

// Finds ranges of one loop in simplified form, without changing the function.
class LoopRanges {
public:
  LoopRanges(FunctionAnalyses &A, const llvm::Loop &L);

  // Returns the values that the index has whenever the block of the loop runs. Empty: they are not known.
  std::optional<LoopRange> of(llvm::Value *Index, const llvm::BasicBlock &Where) const;

private:
  // A comparison that holds on the way from From to To.
  struct Fact {
    const llvm::BasicBlock *From, *To;
    llvm::CmpInst::Predicate Predicate;
    llvm::Value *Left, *Right;
  };
  // A number at which a variable ends, and how this is known.
  struct Bound {
    llvm::CmpInst::Predicate Predicate; // variable Predicate End
    llvm::Value *End;
    bool OfEachRound; // known at the start of each round, if it is true for the start value
  };

  FunctionAnalyses &A;
  const llvm::Loop &L;
  llvm::SmallVector<Fact, 8> Facts;

  void addFacts(const llvm::BasicBlock &From, const llvm::BasicBlock &To, llvm::Value *Condition, bool IsTrue);
  bool holdsAt(const Fact &F, const llvm::BasicBlock &Where) const;
  bool holdsOnBackEdge(const Fact &F) const;
  std::optional<Bound> boundAt(const llvm::PHINode &Variable, bool IsAbove, const llvm::BasicBlock &Where) const;
  std::optional<LoopRange> stepping(llvm::PHINode &Variable, bool IsRising, const llvm::BasicBlock &Where) const;
  std::optional<LoopRange> searching(llvm::Value *Middle) const;
};

// The numbers of ranges before the loop, by the value that the loop uses: frozen, as LLVM could otherwise compute other
// numbers for the loop, by the promises of the instructions that make the value. A copy of the loop without checks must
// use these.
using LoopNumbers = llvm::MapVector<llvm::Value *, llvm::Value *>;

// Returns an i1, computed by the builder before the loop: in all rounds, the index plus Shift is below Count, compared
// without sign. Both have the index's width. Adds to Numbers.
llvm::Value *allBelow(BoundsBuilder &B, const LoopRange &Range, llvm::Value *Shift, llvm::Value *Count,
                      LoopNumbers &Numbers);

} // namespace gasan

#endif
