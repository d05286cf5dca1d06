/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds loops from one number up to a greater one that test for equality, as the optimiser leaves them:
//
//   if (first < end)
//     for (i = first; ++i != end;) ...
//
// Intervals of first and end do not show that first is below end. A loop that is unrolled by 2^k becomes two loops. One
// has (end - first) & (2^k - 1) single rounds, the low part of the distance. The other loop, before or after it, covers
// (end - first) & -2^k in steps of 2^k, the high part. A variable of a loop begins where the other loop stopped, or at
// first if the other loop was skipped. With k = 1, a single round is not a loop, and the next loop begins at first + 1.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_SPANS_H
#define GASAN_PASS_INSTRUMENT_PROOF_SPANS_H

#include "gasan_pass/instrument/proof/Guards.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/ConstantRange.h"

namespace gasan {

// The range of a loop's variable: first <= i <= end - Step, until the variable passes the end.
struct Walk {
  llvm::Value *First, *End;
  bool Signed; // of the comparison
  llvm::APInt Step;
  llvm::BinaryOperator *Next, *Distance; // the addition, and End - First if that is counted, or null
};

class Spans {
public:
  Spans(Guards &Conditions, const llvm::LoopInfo &Loops) : Conditions(Conditions), Loops(Loops) {}

  // Returns the walk of a phi in the header of a loop with one latch.
  std::optional<Walk> walkOf(llvm::PHINode &Phi, const llvm::Loop &L);

private:
  struct Span {
    llvm::Value *First, *End;
    unsigned Split; // number of bits in the low part of End - First
    bool Signed;    // of the comparison First < End
  };
  // Further properties of a value, besides First. Several can be true, since a part can be 0.
  enum Part : unsigned { Nothing = 1, Low = 2, High = 4, All = 8, LowIsNotZero = 16 };
  struct Step {
    llvm::BinaryOperator *Next;
    const llvm::APInt *By;
    llvm::Value *Start;
    llvm::BasicBlock *Entry;
  };

  Guards &Conditions;
  const llvm::LoopInfo &Loops;

  static std::optional<Step> stepOf(llvm::PHINode &Phi, const llvm::Loop &L);
  llvm::Value *countTo(llvm::PHINode &Phi, const Step &S, const llvm::Loop &L, bool &OfPhi);
  static bool isDistance(llvm::Value *V, const Span &S);
  static const llvm::APInt *distanceOf(const Relation &R, const Span &S);
  static bool isBelow(llvm::Value *First, llvm::Value *End, const Place *At, bool Signed);
  static llvm::ConstantRange distanceAt(const Span &S, const Place *At);
  static unsigned whatIsZero(const Span &S, const Place *At);
  unsigned partsOf(llvm::Value *V, const Span &S, const Place *At, const llvm::BasicBlock *To, unsigned Depth);
  unsigned reached(llvm::PHINode &Phi, const llvm::Loop &L, const Span &S, unsigned Depth);
};

} // namespace gasan

#endif
