// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/Unrolled.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

std::optional<Polynomial> Formulas::Unrolled::stepOf(PHINode &Phi) {
  Polynomial Moved = of(Phi.getIncomingValueForBlock(L.getLoopLatch())).minus(of(&Phi));
  return isInvariant(Moved) ? std::optional(Moved) : std::nullopt;
}

bool Formulas::Unrolled::isInvariant(const Polynomial &Of) const {
  return all_of(Of.terms(), [&](const auto &Term) {
    return all_of(Term.first, [&](unsigned Atom) {
      const Polynomial *Q = P.minimum(Atom);
      return Q ? isInvariant(*Q) : L.isLoopInvariant(P.atom(Atom));
    });
  });
}

bool Formulas::Unrolled::start() {
  Entry = L.getLoopPredecessor();
  if (!L.getLoopLatch() || !Entry || !isInteger(&Variable) || F.bitsOf(&Variable) < 32)
    return false;
  Bits = F.bitsOf(&Variable);
  Outside = F.Conditions.at(L.getHeader());
  return true;
}

bool Formulas::Unrolled::isNotNegative(const Polynomial &Of) {
  return anyRelation(Outside, [&](const Relation &R) {
    const bool Strict = R.Predicate == CmpInst::ICMP_SLT || R.Predicate == CmpInst::ICMP_ULT;
    if ((!Strict && R.Predicate != CmpInst::ICMP_SLE && R.Predicate != CmpInst::ICMP_ULE) || F.bitsOf(R.Left) != Bits ||
        P.of(R.Right).minus(P.of(R.Left)).plus(-int64_t(Strict)) != Of)
      return false;
    Limited.push_back({of(R.Left), false});
    Limited.push_back({of(R.Right), CmpInst::isUnsigned(R.Predicate)});
    return true;
  });
}

bool Formulas::Unrolled::setQuotient(Value *V) {
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

uint64_t Formulas::Unrolled::remainders(const Place *At) {
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

uint64_t Formulas::Unrolled::remaindersBy(CmpInst::Predicate Predicate, const Polynomial &Of, const APInt &Mask,
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

bool Formulas::Unrolled::isRemainder(Value *V) {
  Value *Of;
  const APInt Mask = APInt(Bits, Rounds - 1).shl(Shift);
  return F.bitsOf(V) == Bits && match(V, m_And(m_Value(Of), m_SpecificInt(Mask))) &&
         of(Of).minus(Base).constant() == int64_t(1) << Shift;
}

bool Formulas::Unrolled::isMultipleOfRemainder(const Polynomial &Way) {
  for (const auto &[Product, Coefficient] : Way.terms())
    for (unsigned Atom : Product)
      if (P.atom(Atom) && isRemainder(P.atom(Atom))) {
        const Polynomial Rest = of(P.atom(Atom));
        std::optional<Polynomial> Multiple = Shift ? std::optional(Rest) : Rest.times(Step);
        return Multiple && *Multiple == Way;
      }
  return false;
}

bool Formulas::Unrolled::startsBehindRest(Value *V, const Place *At, unsigned Depth) {
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

bool Formulas::Unrolled::isEndOfRest(Value *V) {
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

bool Formulas::Unrolled::anyCountDown(int64_t By, function_ref<bool(Value *)> Do) {
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

bool Formulas::Unrolled::setRounds(const Polynomial &Number) {
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

bool Formulas::Unrolled::isNotZero(Value *Number) const {
  return anyRelation(Outside, [&](const Relation &R) {
    return R.Predicate == CmpInst::ICMP_NE && R.Left == Number && match(R.Right, m_Zero());
  });
}

bool Formulas::Unrolled::isRest() {
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

bool Formulas::Unrolled::setFirst(Value *Start) {
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

bool Formulas::Unrolled::isMultiple(Value *V) {
  Value *Of;
  const APInt Mask = -APInt(Bits, Rounds);
  return !Shift && V && F.bitsOf(V) == Bits && match(V, m_And(m_Value(Of), m_SpecificInt(Mask))) &&
         of(Of) == Base.plus(1);
}

bool Formulas::Unrolled::isMultipleLater(const Polynomial &Way) {
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

bool Formulas::Unrolled::isCounted() {
  Limited.clear();
  First = of(Variable.getIncomingValueForBlock(Entry));
  return !Shift && anyCountDown(-int64_t(Rounds), [&](Value *Count) { return isMultiple(Count); }) &&
         isNotNegative(Last);
}

bool Formulas::Unrolled::hasEnough(const Polynomial &Moved, function_ref<bool()> Then) {
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

bool Formulas::Unrolled::setEnough(Value *V, const Polynomial &Of, uint64_t Least, const Polynomial &Moved) {
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

bool Formulas::Unrolled::isMain() {
  std::optional<Polynomial> Moved = stepOf(Variable);
  return Moved && !Moved->isZero() && hasEnough(*Moved, [&] { return endsInTime(*Moved) || isCounted(); });
}

bool Formulas::Unrolled::endsInTime(const Polynomial &Moved) {
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

bool Formulas::Unrolled::require(WholeNumbers &Whole) {
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

std::optional<Node> Formulas::Unrolled::narrow(Node N) {
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

bool Formulas::Unrolled::isUnrolled() {
  if (!start())
    return false;
  IsMain = isMain();
  return IsMain || isRest();
}

std::optional<Node> Formulas::Unrolled::narrowOther(PHINode &Other, Node N) {
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

} // namespace gasan
