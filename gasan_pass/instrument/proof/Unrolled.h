/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Recognises the two loops that a compiler makes of one when it unrolls it (FormulaUnrolled.cpp). Only the files with
// rules about sums include this header.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_UNROLLED_H
#define GASAN_PASS_INSTRUMENT_PROOF_UNROLLED_H

#include "gasan_pass/instrument/proof/Sum.h"

namespace gasan {

struct Formulas::Unrolled : Formulas::Sum {
  static constexpr unsigned kDeepest = 4;       // phis that merge the starts
  static constexpr unsigned kMostUnrolled = 16; // rounds in one
  static constexpr int64_t kMostMore = 1 << 20;

  const llvm::Loop &L;
  llvm::PHINode &Variable;
  const Place *Outside = nullptr; // the relations that hold before the loop
  llvm::BasicBlock *Entry = nullptr;
  unsigned Bits = 0, Rounds = 0; // rounds in one
  // Of all rounds. Base is (end - 1 - first) / step where that is a value, and end - 1 - first where the step is
  // 2^Shift, a constant.
  Polynomial First = Polynomial(64), Last = First, Step = First, Base = First;
  unsigned Shift = 0;
  bool IsMain = false; // several rounds are one
  struct Limit {
    Polynomial Of;   // must be between -2^30 and 2^30
    bool IsUnsigned; // and not negative
  };
  llvm::SmallVector<Limit, 4> Limited = {};

  // Returns the change of a variable in one round of the loop. Empty: it is no number that the loop keeps.
  std::optional<Polynomial> stepOf(llvm::PHINode &Phi);
  bool isInvariant(const Polynomial &Of) const;
  bool start();
  // Returns true if a test in front of the loop shows that the polynomial, as a difference of the tested numbers, is 0
  // or more.
  bool isNotNegative(const Polynomial &Of);
  // Sets Base, Shift and Last if V is a quotient of the step. Returns false if it is none.
  bool setQuotient(llvm::Value *V);
  // Returns the numbers of rounds, modulo Rounds, that the tests at a place leave, as bits of a mask.
  uint64_t remainders(const Place *At);
  // Returns those with which "(Of & Mask) Predicate Limit" may hold.
  uint64_t remaindersBy(llvm::CmpInst::Predicate Predicate, const Polynomial &Of, const llvm::APInt &Mask,
                        const llvm::APInt &Limit) const;
  // Returns true if V is `rounds % Rounds`, in units of 2^Shift.
  bool isRemainder(llvm::Value *V);
  // Returns true if the polynomial is the remainder's multiple of the step.
  bool isMultipleOfRemainder(const Polynomial &Way);
  // Returns true if V, on the way to the loop, is first + (rounds % Rounds) * step.
  bool startsBehindRest(llvm::Value *V, const Place *At, unsigned Depth = 0);
  // Returns true if V is the value with which the first loop ends.
  bool isEndOfRest(llvm::Value *V);
  // Calls Do with the start of each variable that is counted down to 0, which ends the loop.
  bool anyCountDown(int64_t By, llvm::function_ref<bool(llvm::Value *)> Do);
  // Sets Base, Shift and Last from the number of rounds. Returns false if it is no such number.
  bool setRounds(const Polynomial &Number);
  // Returns true if a test in front of the loop shows that the number is not 0.
  bool isNotZero(llvm::Value *Number) const;
  // Returns true if the loop is the one of single rounds.
  bool isRest();
  // Sets First, if the loop of single rounds begins with it, or behind the other loop: a multiple of Rounds rounds
  // later.
  bool setFirst(llvm::Value *Start);
  // Returns true if V is the number of all rounds, rounded down to a multiple of Rounds.
  bool isMultiple(llvm::Value *V);
  // Returns true if the polynomial is 0, or this number's multiple of the step.
  bool isMultipleLater(const Polynomial &Way);
  // Returns true if the loop makes all rounds but the rest, which it counts.
  bool isCounted();
  // Returns true if a test in front of the loop shows that there are at least Rounds rounds, and Then returns true.
  // Sets all but First.
  bool hasEnough(const Polynomial &Moved, llvm::function_ref<bool()> Then);
  // V: the tested number, if it is Of.
  bool setEnough(llvm::Value *V, const Polynomial &Of, uint64_t Least, const Polynomial &Moved);
  // Returns true if the loop makes several rounds in one.
  bool isMain();
  // Returns true if the loop begins behind the single rounds, and goes on only while its next value is below the end.
  bool endsInTime(const Polynomial &Moved);
  // Returns the greatest value of the variable in the loop.
  Polynomial greatest() const { return First.plus(Last).plus(Step, IsMain ? -int64_t(Rounds - 1) : 0); }

  // Adds the rule's requirements. Returns false if there is a number that cannot be computed.
  bool require(WholeNumbers &Whole);
  // Narrows N, the values of the variable in the loop.
  std::optional<Node> narrow(Node N);
  bool isUnrolled();
  // Narrows N, the values of another variable of the loop.
  std::optional<Node> narrowOther(llvm::PHINode &Other, Node N);
};

} // namespace gasan

#endif
