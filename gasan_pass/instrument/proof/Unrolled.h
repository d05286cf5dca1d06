/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Recognises the two loops that a compiler makes of one when it unrolls it (FormulaUnrolled.cpp), and computes
// polynomials in each launch. Only the files with rules about sums include this header.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_UNROLLED_H
#define GASAN_PASS_INSTRUMENT_PROOF_UNROLLED_H

#include "gasan_pass/instrument/proof/Formula.h"
#include "gasan_pass/instrument/proof/WholeNumbers.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/PatternMatch.h"

namespace gasan {

using namespace llvm;
using namespace llvm::PatternMatch;

// What the rules about sums share.
struct Formulas::Sum {
  static constexpr int64_t kGreatest = int64_t(1) << 30;

  Formulas &F;
  Polynomials &P;
  std::set<unsigned> Minima = {}; // of which the numbers were made

  // Returns the polynomial of a number. It is the number only if requireMinima() holds.
  const Polynomial &of(Value *V) {
    const Polynomial &Result = P.of(V);
    Minima.insert(Result.minima().begin(), Result.minima().end());
    return Result;
  }

  Polynomial whole(Value *V, SmallVectorImpl<Polynomials::Narrow> &Casts) {
    Polynomial Result = P.whole(V, Casts);
    Minima.insert(Result.minima().begin(), Result.minima().end());
    return Result;
  }

  // Requires that the minima are what they are said to be. Returns false if one of them cannot be computed in Block.
  bool requireMinima(WholeNumbers &Whole, const Place *At, const BasicBlock &Block) const {
    return all_of(Minima, [&](unsigned Atom) {
      const Polynomial *Q = P.minimum(Atom);
      std::optional<Node> N = isKnownIn(*Q, Block) ? value(Whole, *Q, At) : std::nullopt;
      if (N)
        limited(Whole, *N);
      return N.has_value();
    });
  }

  bool isKnownIn(const Polynomial &Of, const BasicBlock &Block) const {
    return all_of(Of.terms(), [&](const auto &Term) {
      return all_of(Term.first, [&](unsigned Atom) {
        const Polynomial *Q = P.minimum(Atom);
        auto *I = Q ? nullptr : dyn_cast<Instruction>(P.atom(Atom));
        return Q ? isKnownIn(*Q, Block) : !I || F.Conditions.tree().dominates(I, &Block);
      });
    });
  }

  // Calls Do for each relation at the place and around it, with both orders of its operands, until it returns true.
  bool anyRelation(const Place *At, function_ref<bool(const Relation &)> Do) const {
    for (const Place *Where = At; Where; Where = Where->Outer)
      for (const Relation &R : Where->Known)
        if (isInteger(R.Left) && (Do(R) || Do(R.swapped())))
          return true;
    return false;
  }

  // Returns the polynomial's value as a number of 64 bits.
  std::optional<Node> value(WholeNumbers &Whole, const Polynomial &Of, const Place *At) const {
    constexpr int64_t kMostCoefficient = 1 << 20;
    std::optional<Node> Sum;
    for (const auto &[Product, Coefficient] : Of.terms()) {
      if (std::abs(Coefficient) > (Product.empty() ? kGreatest : kMostCoefficient))
        return std::nullopt;
      std::optional<Node> Term;
      for (unsigned Atom : Product) {
        Node Factor;
        if (const Polynomial *Q = P.minimum(Atom)) {
          std::optional<Node> Inside = value(Whole, *Q, At);
          if (!Inside)
            return std::nullopt;
          Factor = F.Nodes.operate(GASAN_PROOF_SMIN, WholeNumbers::kBits, limited(Whole, *Inside), Whole.constant(0));
        } else {
          Factor = limited(Whole, Whole.extended(F.of(P.atom(Atom), At), /*Signed=*/true));
        }
        Term = Term ? limited(Whole, Whole.times(*Term, Factor)) : Factor;
      }
      if (!Term)
        Term = Whole.constant(Coefficient);
      else if (Coefficient != 1)
        Term = Whole.times(*Term, Whole.constant(Coefficient));
      Sum = Sum ? Whole.plus(*Sum, *Term) : *Term;
    }
    return Sum ? *Sum : Whole.constant(0);
  }

  // Requires that N is between -2^30 and 2^30. Returns N.
  static Node limited(WholeNumbers &Whole, Node N) {
    Whole.refuse(CmpInst::ICMP_UGT, Whole.plus(N, Whole.constant(kGreatest)), Whole.constant(2 * kGreatest));
    return N;
  }

  // Returns the offset of a pointer from the pointer's root.
  std::optional<Polynomial> offset(Value *Pointer, SmallVectorImpl<Polynomials::Narrow> &Casts) {
    Polynomial Total(64);
    for (Value *From; (From = F.Steps.isMerge(Pointer) ? nullptr : F.Steps.stepFrom(Pointer)); Pointer = From)
      if (std::optional<Polynomial> Moved = moved(Pointer, Casts))
        Total = Total.plus(*Moved);
      else
        return std::nullopt;
    return F.Steps.isMerge(Pointer) && !F.Steps.isRoot(Pointer) ? std::nullopt : std::optional(Total);
  }

  // Returns the distance of a pointer from the one before it.
  std::optional<Polynomial> moved(Value *Pointer, SmallVectorImpl<Polynomials::Narrow> &Casts) {
    auto *Gep = dyn_cast<GEPOperator>(Pointer);
    if (!Gep)
      return isa<AddrSpaceCastOperator, BitCastOperator, FreezeInst>(Pointer) ? std::optional(Polynomial(64))
                                                                              : std::nullopt;
    SmallMapVector<Value *, APInt, 4> Scales;
    APInt Constant(64, 0);
    const DataLayout &DL = F.Kernel.getDataLayout();
    if (DL.getIndexTypeSizeInBits(Gep->getType()) != 64 || !Gep->collectOffset(DL, 64, Scales, Constant))
      return std::nullopt;
    Polynomial Total(64, Constant.getSExtValue());
    for (const auto &[Index, Scale] : Scales) {
      if (!isInteger(Index) || F.bitsOf(Index) < 32)
        return std::nullopt;
      if (F.bitsOf(Index) < 64)
        Casts.push_back({Index, true});
      Total = Total.plus(whole(Index, Casts), Scale.getSExtValue());
    }
    return Total;
  }

  // Requires that no integer that is extended wraps. Returns false if one of them cannot be computed.
  bool require(WholeNumbers &Whole, ArrayRef<Polynomials::Narrow> Casts, const Place *At) {
    for (const Polynomials::Narrow &Cast : Casts) {
      SmallVector<Polynomials::Narrow, 4> Inner;
      std::optional<Node> Inside = F.bitsOf(Cast.V) == 32 ? value(Whole, whole(Cast.V, Inner), At) : std::nullopt;
      if (!Inside)
        return false;
      Node Above = Cast.IsSigned ? Whole.plus(*Inside, Whole.constant(int64_t(1) << 31)) : *Inside;
      Whole.refuse(CmpInst::ICMP_UGT, Above, Whole.constant(UINT32_MAX));
    }
    return true;
  }
};

struct Formulas::Unrolled : Formulas::Sum {
  static constexpr unsigned kDeepest = 4;       // phis that merge the starts
  static constexpr unsigned kMostUnrolled = 16; // rounds in one
  static constexpr int64_t kMostMore = 1 << 20;

  const llvm::Loop &L;
  PHINode &Variable;
  const Place *Outside = nullptr; // what holds in front of the loop
  BasicBlock *Entry = nullptr;
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
  SmallVector<Limit, 4> Limited = {};

  // Returns the change of a variable in one round of the loop. Empty: it is no number that the loop keeps.
  std::optional<Polynomial> stepOf(PHINode &Phi) {
    Polynomial Moved = of(Phi.getIncomingValueForBlock(L.getLoopLatch())).minus(of(&Phi));
    return isInvariant(Moved) ? std::optional(Moved) : std::nullopt;
  }

  bool isInvariant(const Polynomial &Of) const {
    return all_of(Of.terms(), [&](const auto &Term) {
      return all_of(Term.first, [&](unsigned Atom) {
        const Polynomial *Q = P.minimum(Atom);
        return Q ? isInvariant(*Q) : L.isLoopInvariant(P.atom(Atom));
      });
    });
  }

  bool start() {
    Entry = L.getLoopPredecessor();
    if (!L.getLoopLatch() || !Entry || !isInteger(&Variable) || F.bitsOf(&Variable) < 32)
      return false;
    Bits = F.bitsOf(&Variable);
    Outside = F.Conditions.at(L.getHeader());
    return true;
  }

  // Returns true if a test in front of the loop shows that the polynomial, as a difference of the tested numbers, is 0
  // or more.
  bool isNotNegative(const Polynomial &Of) {
    return anyRelation(Outside, [&](const Relation &R) {
      const bool Strict = R.Predicate == CmpInst::ICMP_SLT || R.Predicate == CmpInst::ICMP_ULT;
      if ((!Strict && R.Predicate != CmpInst::ICMP_SLE && R.Predicate != CmpInst::ICMP_ULE) ||
          F.bitsOf(R.Left) != Bits || P.of(R.Right).minus(P.of(R.Left)).plus(-int64_t(Strict)) != Of)
        return false;
      Limited.push_back({of(R.Left), false});
      Limited.push_back({of(R.Right), CmpInst::isUnsigned(R.Predicate)});
      return true;
    });
  }

  // Sets Base, Shift and Last if V is a quotient of the step. Returns false if it is none.
  bool setQuotient(Value *V) {
    Value *Dividend, *Divisor;
    const APInt *By;
    if (match(V, m_LShr(m_Value(Dividend), m_APInt(By))) && By->ult(Bits - 2)) {
      if (Step.constant() != int64_t(1) << By->getZExtValue())
        return false;
    } else if (match(V, m_UDiv(m_Value(Dividend), m_Value(Divisor))) && !cast<PossiblyExactOperator>(V)->isExact()) {
      match(Divisor, m_Freeze(m_Value(Divisor)));
      if (of(Divisor) != Step && !(match(Divisor, m_c_UMax(m_Value(Divisor), m_One())) && of(Divisor) == Step))
        return false;
    } else {
      return false;
    }
    Base = of(V);
    Shift = 0;
    Last = of(Dividend);
    return true;
  }

  // Returns the numbers of rounds, modulo Rounds, that the tests at a place leave, as bits of a mask.
  uint64_t remainders(const Place *At) {
    uint64_t Result = maskTrailingOnes<uint64_t>(Rounds);
    anyRelation(At, [&](const Relation &R) {
      Value *Of;
      const APInt *Mask, *Limit;
      if (CmpInst::isEquality(R.Predicate) && match(R.Right, m_APInt(Limit)) &&
          match(R.Left, m_And(m_Value(Of), m_APInt(Mask))) && F.bitsOf(R.Left) == Bits)
        Result &= remaindersBy(R.Predicate, of(Of), *Mask, *Limit);
      return false;
    });
    return Result;
  }

  // Returns those with which "(Of & Mask) Predicate Limit" may hold.
  uint64_t remaindersBy(CmpInst::Predicate Predicate, const Polynomial &Of, const APInt &Mask,
                        const APInt &Limit) const {
    const uint64_t All = maskTrailingOnes<uint64_t>(Rounds);
    std::optional<int64_t> More = Of.minus(Base).constant();
    const bool IsHalf = !More && !Shift; // twice the number may be known: x & 1 is a test of 2 * x & 2
    if (IsHalf)
      More = Polynomial(Bits).plus(Of, 2).minus(Base).constant();
    if (!More || (uint64_t(*More) & maskTrailingOnes<uint64_t>(Shift)) || Mask.getActiveBits() > 32 ||
        Limit.getActiveBits() > 32)
      return All;
    const uint64_t Bit = Mask.getZExtValue() >> Shift;
    if (Bit << Shift != Mask.getZExtValue() || (Bit << unsigned(IsHalf)) >= Rounds)
      return All;
    uint64_t Result = 0;
    for (unsigned Number = 0; Number < Rounds; ++Number) {
      // If there are Number rounds, modulo Rounds: the base, or twice the tested number, from bit Shift on.
      const uint64_t Known = uint64_t(int64_t(Number) - 1 + (*More >> Shift)) & (Rounds - 1);
      const bool IsOdd = IsHalf && (Known & 1);
      const bool IsEqual = ((Known >> unsigned(IsHalf)) & Bit) << Shift == Limit.getZExtValue();
      if (!IsOdd && IsEqual == (Predicate == CmpInst::ICMP_EQ))
        Result |= uint64_t(1) << Number;
    }
    return Result;
  }

  // Returns true if V is `rounds % Rounds`, in units of 2^Shift.
  bool isRemainder(Value *V) {
    Value *Of;
    const APInt Mask = APInt(Bits, Rounds - 1).shl(Shift);
    return F.bitsOf(V) == Bits && match(V, m_And(m_Value(Of), m_SpecificInt(Mask))) &&
           of(Of).minus(Base).constant() == int64_t(1) << Shift;
  }

  // Returns true if the polynomial is the remainder's multiple of the step.
  bool isMultipleOfRemainder(const Polynomial &Way) {
    for (const auto &[Product, Coefficient] : Way.terms())
      for (unsigned Atom : Product)
        if (P.atom(Atom) && isRemainder(P.atom(Atom))) {
          const Polynomial Rest = of(P.atom(Atom));
          std::optional<Polynomial> Multiple = Shift ? std::optional(Rest) : Rest.times(Step);
          return Multiple && *Multiple == Way;
        }
    return false;
  }

  // Returns true if V, on the way to the loop, is first + (rounds % Rounds) * step.
  bool startsBehindRest(Value *V, const Place *At, unsigned Depth = 0) {
    const Polynomial Way = of(V).minus(First);
    const uint64_t Rest = remainders(At);
    for (unsigned Number = 0; Number < Rounds; ++Number)
      if ((Rest & ~(uint64_t(1) << Number)) == 0 && Way == Polynomial(Bits).plus(Step, Number))
        return true;
    if (isMultipleOfRemainder(Way))
      return true;
    if (auto *Merge = dyn_cast<PHINode>(V); Merge && Depth < kDeepest && !F.Loops.isLoopHeader(Merge->getParent()))
      return all_of(Merge->blocks(), [&](BasicBlock *From) {
        return startsBehindRest(Merge->getIncomingValueForBlock(From), F.Conditions.onEdge(From, Merge->getParent()),
                                Depth + 1);
      });
    return isEndOfRest(V);
  }

  // Returns true if V is the value with which the first loop ends.
  bool isEndOfRest(Value *V) {
    auto *Next = dyn_cast<Instruction>(V);
    const Loop *Other = Next ? F.Loops.getLoopFor(Next->getParent()) : nullptr;
    if (!Other || Other->contains(L.getHeader()) || !Other->getLoopLatch() || !Other->getLoopPredecessor() ||
        Other->getExitingBlock() != Other->getLoopLatch())
      return false;
    for (PHINode &Phi : Other->getHeader()->phis())
      if (Phi.getIncomingValueForBlock(Other->getLoopLatch()) == V) {
        Unrolled Rest = {{F, P}, *Other, Phi};
        scope_exit Keep([&] { Minima.insert(Rest.Minima.begin(), Rest.Minima.end()); });
        return Rest.start() && Rest.stepOf(Phi) == Step && of(Phi.getIncomingValueForBlock(Rest.Entry)) == First &&
               Rest.anyCountDown(-1, [&](Value *Count) { return isRemainder(Count) && !Shift; });
      }
    return false;
  }

  // Calls Do with the start of each variable that is counted down to 0, which ends the loop.
  bool anyCountDown(int64_t By, function_ref<bool(Value *)> Do) {
    return anyRelation(F.Conditions.onEdge(L.getLoopLatch(), L.getHeader()), [&](const Relation &R) {
      const auto *Exit = dyn_cast<BranchInst>(L.getLoopLatch()->getTerminator());
      const APInt *Added;
      if (R.Predicate != CmpInst::ICMP_NE || R.From != L.getLoopLatch() || !match(R.Right, m_Zero()) || !Exit ||
          !Exit->isConditional() || !isa<ICmpInst>(Exit->getCondition())) // which has no other reason to end the loop
        return false;
      return any_of(L.getHeader()->phis(), [&](PHINode &Phi) {
        return Phi.getIncomingValueForBlock(L.getLoopLatch()) == R.Left &&
               match(R.Left, m_Add(m_Specific(&Phi), m_APInt(Added))) && Added->getSExtValue() == By &&
               Do(Phi.getIncomingValueForBlock(Entry));
      });
    });
  }

  // Sets Base, Shift and Last from the number of rounds. Returns false if it is no such number.
  bool setRounds(const Polynomial &Number) {
    const Polynomial Before = Number.plus(-1);
    const std::optional<unsigned> Atom = Polynomials::onlyAtom(Before);
    if (Atom && P.atom(*Atom) && of(P.atom(*Atom)) == Before && setQuotient(P.atom(*Atom)))
      return true;
    if (Step.constant() != 1)
      return false;
    Base = Last = Before;
    Shift = 0;
    return true;
  }

  // Returns true if a test in front of the loop shows that the number is not 0.
  bool isNotZero(Value *Number) const {
    return anyRelation(Outside, [&](const Relation &R) {
      return R.Predicate == CmpInst::ICMP_NE && R.Left == Number && match(R.Right, m_Zero());
    });
  }

  // Returns true if the loop is the one of single rounds.
  bool isRest() {
    std::optional<Polynomial> Moved = stepOf(Variable);
    if (!Moved || Moved->isZero())
      return false;
    Limited.clear();
    Step = *Moved;
    return anyCountDown(-1, [&](Value *Count) {
      Value *Of;
      const APInt *Mask;
      if (F.bitsOf(Count) != Bits || !match(Count, m_And(m_Value(Of), m_APInt(Mask))) || !Mask->isMask() ||
          Mask->uge(kMostUnrolled))
        return false;
      Rounds = unsigned(Mask->getZExtValue()) + 1;
      return setRounds(of(Of)) && setFirst(Variable.getIncomingValueForBlock(Entry)) &&
             (!(remainders(Outside) & 1) || isNotZero(Count)) && isNotNegative(Last);
    });
  }

  // Sets First, if the loop of single rounds begins with it, or behind the other loop: a multiple of Rounds rounds
  // later.
  bool setFirst(Value *Start) {
    First = of(Start);
    auto *Merge = dyn_cast<PHINode>(Start);
    if (!Merge || F.Loops.isLoopHeader(Merge->getParent()) || Shift)
      return true;
    for (Value *Way : Merge->incoming_values()) {
      First = of(Way);
      if (all_of(Merge->incoming_values(), [&](Value *Other) { return isMultipleLater(of(Other).minus(First)); }))
        return true;
    }
    First = of(Start);
    return true;
  }

  // Returns true if V is the number of all rounds, rounded down to a multiple of Rounds.
  bool isMultiple(Value *V) {
    Value *Of;
    const APInt Mask = -APInt(Bits, Rounds);
    return !Shift && V && F.bitsOf(V) == Bits && match(V, m_And(m_Value(Of), m_SpecificInt(Mask))) &&
           of(Of) == Base.plus(1);
  }

  // Returns true if the polynomial is 0, or this number's multiple of the step.
  bool isMultipleLater(const Polynomial &Way) {
    if (Way.isZero())
      return true;
    for (const auto &[Product, Coefficient] : Way.terms())
      for (unsigned Atom : Product)
        if (isMultiple(P.atom(Atom))) {
          std::optional<Polynomial> Multiple = of(P.atom(Atom)).times(Step);
          return Multiple && *Multiple == Way;
        }
    return false;
  }

  // Returns true if the loop makes all rounds but the rest, which it counts.
  bool isCounted() {
    Limited.clear();
    First = of(Variable.getIncomingValueForBlock(Entry));
    return !Shift && anyCountDown(-int64_t(Rounds), [&](Value *Count) { return isMultiple(Count); }) &&
           isNotNegative(Last);
  }

  // Returns true if a test in front of the loop shows that there are at least Rounds rounds, and Then returns true.
  // Sets all but First.
  bool hasEnough(const Polynomial &Moved, function_ref<bool()> Then) {
    return anyRelation(Outside, [&](const Relation &R) {
      const APInt *C;
      if (!match(R.Right, m_APInt(C)) || F.bitsOf(R.Left) != Bits)
        return false;
      const bool Above = R.Predicate == CmpInst::ICMP_UGE || R.Predicate == CmpInst::ICMP_UGT;
      const bool Below = R.Predicate == CmpInst::ICMP_ULE || R.Predicate == CmpInst::ICMP_ULT;
      if (Above && C->getActiveBits() <= 31)
        return setEnough(R.Left, of(R.Left), C->getZExtValue() + (R.Predicate == CmpInst::ICMP_UGT), Moved) && Then();
      // first - end <= -4. The difference is not 0, because first < end.
      if (Below && (-*C).getActiveBits() <= 31)
        return setEnough(nullptr, Polynomial(Bits, -1).minus(of(R.Left)),
                         (-*C).getZExtValue() + (R.Predicate == CmpInst::ICMP_ULT) - 1, Moved) &&
               Then();
      return false;
    });
  }

  // V: the tested number, if it is Of.
  bool setEnough(Value *V, const Polynomial &Of, uint64_t Least, const Polynomial &Moved) {
    const std::optional<int64_t> Whole = Moved.constant();
    // The quotient is at least Rounds - 1.
    if (Least + 1 >= 2 && Least + 1 <= kMostUnrolled && isPowerOf2_64(Least + 1)) {
      std::optional<Polynomial> Quotient = Moved.quotient(Polynomial(Bits, int64_t(Least + 1)));
      if (Quotient) {
        Step = *Quotient;
        Rounds = unsigned(Least + 1);
        if (V && setQuotient(V))
          return true;
      }
    }
    // The distance is at least (Rounds - 1) * step.
    if (Whole && *Whole > 0 && Least > 0 && Least < uint64_t(*Whole)) {
      const uint64_t By = uint64_t(*Whole) - Least;
      if (!isPowerOf2_64(By) || uint64_t(*Whole) % By || !isPowerOf2_64(uint64_t(*Whole) / By) ||
          uint64_t(*Whole) / By > kMostUnrolled)
        return false;
      Step = Polynomial(Bits, int64_t(By));
      Rounds = unsigned(uint64_t(*Whole) / By);
      Base = Last = Of;
      Shift = Log2_64(By);
      return true;
    }
    return false;
  }

  // Returns true if the loop makes several rounds in one.
  bool isMain() {
    std::optional<Polynomial> Moved = stepOf(Variable);
    return Moved && !Moved->isZero() && hasEnough(*Moved, [&] { return endsInTime(*Moved) || isCounted(); });
  }

  // Returns true if the loop begins behind the single rounds, and goes on only while its next value is below the end.
  bool endsInTime(const Polynomial &Moved) {
    Value *Start = Variable.getIncomingValueForBlock(Entry);
    const Polynomial Here = of(&Variable);
    return anyRelation(F.Conditions.onEdge(L.getLoopLatch(), L.getHeader()), [&](const Relation &R) {
      if ((R.Predicate != CmpInst::ICMP_SLT && R.Predicate != CmpInst::ICMP_ULT) || !R.From || !L.contains(R.From) ||
          F.bitsOf(R.Left) != Bits || !L.isLoopInvariant(R.Right))
        return false;
      // The loop goes on if the next value + More < R.Right.
      const std::optional<int64_t> More = of(R.Left).minus(Here).minus(Moved).constant();
      if (!More || std::abs(*More) > kMostMore)
        return false;
      First = of(R.Right).plus(-*More - 1).minus(Last);
      const Place *On = F.Conditions.onEdge(Entry, L.getHeader());
      Limited.clear();
      if (!startsBehindRest(Start, On) || !isNotNegative(Last))
        return false;
      Limited.push_back({of(R.Right), CmpInst::isUnsigned(R.Predicate)});
      Limited.push_back({of(R.Right).plus(-*More).plus(Moved), false});
      return true;
    });
  }

  // Returns the greatest value of the variable in the loop.
  Polynomial greatest() const { return First.plus(Last).plus(Step, IsMain ? -int64_t(Rounds - 1) : 0); }

  // Adds the rule's requirements. Returns false if there is a number that cannot be computed.
  bool require(WholeNumbers &Whole) {
    for (const Limit &A : Limited) {
      std::optional<Node> N = value(Whole, A.Of, Outside);
      if (!N)
        return false;
      limited(Whole, *N);
      if (A.IsUnsigned)
        Whole.small(*N);
    }
    if (!requireMinima(Whole, Outside, *L.getHeader()))
      return false;
    std::optional<Node> Positive = value(Whole, Step.plus(-1), Outside), Start = value(Whole, First, Outside);
    if (!Positive || !Start)
      return false;
    Whole.small(*Positive);
    limited(Whole, *Positive);
    limited(Whole, *Start);
    return true;
  }

  // Narrows N, the values of the variable in the loop.
  std::optional<Node> narrow(Node N) {
    if (!isUnrolled())
      return std::nullopt;
    WholeNumbers Whole(F.Nodes);
    std::optional<Node> Least = value(Whole, First, Outside), Most = value(Whole, greatest(), Outside);
    if (!Least || !Most || !require(Whole))
      return std::nullopt;
    limited(Whole, *Most);
    Node Narrowed = F.Nodes.where(CmpInst::ICMP_SGE, N, F.Nodes.resize(*Least, Bits, false));
    Narrowed = F.Nodes.where(CmpInst::ICMP_SLE, Narrowed, F.Nodes.resize(*Most, Bits, false));
    return F.Nodes.where(CmpInst::ICMP_EQ, N, Whole.resultOrAny(Narrowed));
  }

  bool isUnrolled() {
    if (!start())
      return false;
    IsMain = isMain();
    return IsMain || isRest();
  }

  // Narrows N, the values of another variable of the loop.
  std::optional<Node> narrowOther(PHINode &Other, Node N) {
    SmallVector<Polynomials::Narrow, 4> Casts;
    WholeNumbers Whole(F.Nodes);
    Value *Start = Other.getIncomingValueForBlock(Entry), *Next = Other.getIncomingValueForBlock(L.getLoopLatch());
    Value *OwnStart = Variable.getIncomingValueForBlock(Entry);
    std::optional<Polynomial> Here, Moved, Own;
    if (isInteger(&Other)) {
      Here = of(Start);
      Moved = stepOf(Other);
      Own = stepOf(Variable);
    } else {
      Polynomial Total(64);
      for (Here = offset(Start, Casts); Next != &Other && Here; Next = cast<User>(Next)->getOperand(0)) {
        std::optional<Polynomial> By = F.Steps.isMerge(Next) ? std::nullopt : moved(Next, Casts);
        if (!By || F.Steps.stepFrom(Next) != cast<User>(Next)->getOperand(0))
          return std::nullopt;
        Total = Total.plus(*By);
      }
      Moved = isInvariant(Total) ? std::optional(Total) : std::nullopt;
      Own = whole(Variable.getIncomingValueForBlock(L.getLoopLatch()), Casts).minus(whole(&Variable, Casts));
      std::optional<Node> First = value(Whole, whole(OwnStart, Casts), Outside);
      if (!First || !require(Whole))
        return std::nullopt;
      limited(Whole, *First);
    }
    if (!requireMinima(Whole, Outside, *L.getHeader()))
      return std::nullopt;
    std::optional<Polynomial> Multiple = Here && Moved && Own ? Moved->quotient(*Own) : std::nullopt;
    const bool IsPointer = !isInteger(&Other);
    Polynomial Way =
        IsPointer ? whole(&Variable, Casts).minus(whole(OwnStart, Casts)) : of(&Variable).minus(of(OwnStart));
    std::optional<Polynomial> Product = Multiple ? Multiple->times(Way) : std::nullopt;
    std::optional<Node> Result = Product ? value(Whole, Here->plus(*Product), Outside) : std::nullopt;
    if (!Result)
      return std::nullopt;
    if (!Sum::require(Whole, Casts, Outside))
      return std::nullopt;
    if (!IsPointer)
      limited(Whole, *Result);
    return F.Nodes.where(CmpInst::ICMP_EQ, N, Whole.resultOrAny(F.Nodes.resize(*Result, F.Nodes.bits(N), false)));
  }
};

} // namespace gasan

#endif
