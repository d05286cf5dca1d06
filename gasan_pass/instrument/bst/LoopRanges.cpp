// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/LoopRanges.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

constexpr unsigned kMostMerges = 8; // on the way from a variable to its next value

bool isInside(const Loop &L, const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  return I && L.contains(I);
}

bool isOrder(CmpInst::Predicate P) {
  return ICmpInst::isRelational(P);
}

// Returns true for `variable < end`, as opposed to `variable > end`.
bool isAbove(CmpInst::Predicate P) {
  return ICmpInst::isLT(P) || ICmpInst::isLE(P);
}

// Returns V as a variable plus a constant.
std::pair<Value *, int64_t> splitConstant(Value *V) {
  int64_t Plus = 0;
  const APInt *Constant;
  for (Value *Rest; match(V, m_Add(m_Value(Rest), m_APInt(Constant))) && Constant->getSignificantBits() <= 32; V = Rest)
    Plus += Constant->getSExtValue();
  return {V, Plus};
}

// The ways on which a variable of a loop gets its next value.
struct NextValue {
  Value *V;
  const BasicBlock *From, *To; // taken with this edge
};

// Splits merged values. Returns false if there are too many.
bool addNextValues(const Loop &L, Value *V, const BasicBlock *From, const BasicBlock *To,
                   SmallVectorImpl<NextValue> &All, unsigned Depth = 0) {
  auto *Phi = dyn_cast<PHINode>(V);
  auto *Select = dyn_cast<SelectInst>(V);
  if (Depth == kMostMerges || All.size() > kMostMerges)
    return false;
  if (Select && L.contains(Select))
    return addNextValues(L, Select->getTrueValue(), From, To, All, Depth + 1) &&
           addNextValues(L, Select->getFalseValue(), From, To, All, Depth + 1);
  if (!Phi || !L.contains(Phi) || Phi->getParent() == L.getHeader()) {
    All.push_back({V, From, To});
    return true;
  }
  for (unsigned Index = 0; Index < Phi->getNumIncomingValues(); ++Index)
    if (!addNextValues(L, Phi->getIncomingValue(Index), Phi->getIncomingBlock(Index), Phi->getParent(), All, Depth + 1))
      return false;
  return true;
}

// Returns true if V is the variable, or the variable with 1 added or subtracted on some or all ways.
bool isStep(Value *V, const PHINode &Variable, bool IsRising) {
  Value *Truth;
  if (IsRising)
    return match(V, m_Add(m_Specific(&Variable), m_One())) ||
           (match(V, m_c_Add(m_Specific(&Variable), m_ZExt(m_Value(Truth)))) && Truth->getType()->isIntegerTy(1)) ||
           (match(V, m_Sub(m_Specific(&Variable), m_SExt(m_Value(Truth)))) && Truth->getType()->isIntegerTy(1));
  return match(V, m_Add(m_Specific(&Variable), m_AllOnes())) ||
         (match(V, m_c_Add(m_Specific(&Variable), m_SExt(m_Value(Truth)))) && Truth->getType()->isIntegerTy(1)) ||
         (match(V, m_Sub(m_Specific(&Variable), m_ZExt(m_Value(Truth)))) && Truth->getType()->isIntegerTy(1));
}

// Returns half of this number, rounded down if it is not negative.
Value *halved(Value *V) {
  Value *Whole, *Rounded;
  const APInt *Bits;
  if (!match(V, m_Shr(m_Value(Whole), m_One())) && !match(V, m_SDiv(m_Value(Whole), m_SpecificInt(2))))
    return nullptr;
  // x / 2 is (x + (x >> 31)) >> 1
  if (match(Whole, m_c_Add(m_LShr(m_Value(Rounded), m_APInt(Bits)), m_Deferred(Rounded))) &&
      *Bits == Bits->getBitWidth() - 1)
    return Rounded;
  return Whole;
}

struct MiddleOf {
  PHINode *Low = nullptr, *High = nullptr;
  bool IsOrdered = false; // Low is the lower one: half of a difference below 0 has another sign, or is rounded up
};

// Returns the variables between which V is the middle. The order of a sum's is not known yet.
MiddleOf middleOf(Value *V) {
  Value *Left, *Right;
  if (Value *Whole = halved(V); Whole && match(Whole, m_Add(m_Value(Left), m_Value(Right))))
    return {dyn_cast<PHINode>(Left), dyn_cast<PHINode>(Right)};
  if (!match(V, m_Add(m_Value(Left), m_Value(Right))))
    return {};
  for (auto [Low, Half] : {std::pair(Left, Right), std::pair(Right, Left)}) {
    Value *High;
    if (Value *Whole = halved(Half); Whole && match(Whole, m_Sub(m_Value(High), m_Specific(Low))))
      return {dyn_cast<PHINode>(Low), dyn_cast<PHINode>(High), true};
  }
  return {};
}

// Returns true if each next value is the variable, the middle, or the middle plus Beside.
bool isMiddleOrSame(ArrayRef<NextValue> All, const PHINode &Variable, Value *Middle, int64_t Beside) {
  return all_of(All, [&](const NextValue &Next) {
    const auto [V, Plus] = splitConstant(Next.V);
    return Next.V == &Variable || (V == Middle && (Plus == 0 || Plus == Beside));
  });
}

} // namespace

LoopRanges::LoopRanges(FunctionAnalyses &A, const Loop &L) : A(A), L(L) {
  for (const BasicBlock *Block : L.blocks()) {
    const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      continue;
    for (unsigned Index : {0, 1})
      if (L.contains(Branch->getSuccessor(Index)))
        addFacts(*Block, *Branch->getSuccessor(Index), Branch->getCondition(), Index == 0);
  }
}

void LoopRanges::addFacts(const BasicBlock &From, const BasicBlock &To, Value *Condition, bool IsTrue) {
  Value *Left, *Right;
  if (match(Condition, m_Not(m_Value(Left))))
    return addFacts(From, To, Left, !IsTrue);
  if (IsTrue ? match(Condition, m_LogicalAnd(m_Value(Left), m_Value(Right)))
             : match(Condition, m_LogicalOr(m_Value(Left), m_Value(Right)))) {
    addFacts(From, To, Left, IsTrue);
    addFacts(From, To, Right, IsTrue);
    return;
  }
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return;
  const CmpInst::Predicate P = IsTrue ? Compare->getPredicate() : Compare->getInversePredicate();
  if (!isOrder(P))
    return;
  Facts.push_back({&From, &To, P, Compare->getOperand(0), Compare->getOperand(1)});
  Facts.push_back({&From, &To, CmpInst::getSwappedPredicate(P), Compare->getOperand(1), Compare->getOperand(0)});
}

// A block of the loop that the edge dominates runs behind the edge in the same round, as the first round shows.
bool LoopRanges::holdsAt(const Fact &F, const BasicBlock &Where) const {
  return F.To != L.getHeader() && A.Tree.dominates(BasicBlockEdge(F.From, F.To), &Where);
}

bool LoopRanges::holdsOnBackEdge(const Fact &F) const {
  return (F.From == L.getLoopLatch() && F.To == L.getHeader()) || holdsAt(F, *L.getLoopLatch());
}

// Returns the end that the variable has in the block, above or below.
std::optional<LoopRanges::Bound> LoopRanges::boundAt(const PHINode &Variable, bool Above,
                                                     const BasicBlock &Where) const {
  const Value *Next = Variable.getIncomingValueForBlock(L.getLoopLatch());
  for (const Fact &F : Facts) {
    if (isInside(L, F.Right) || isAbove(F.Predicate) != Above)
      continue;
    if (F.Left == &Variable && holdsAt(F, Where))
      return Bound{F.Predicate, F.Right, false};
    if (F.Left == Next && holdsOnBackEdge(F))
      return Bound{F.Predicate, F.Right, true};
  }
  return std::nullopt;
}

std::optional<LoopRange> LoopRanges::stepping(PHINode &Variable, bool IsRising, const BasicBlock &Where) const {
  Value *Start = Variable.getIncomingValueForBlock(L.getLoopPreheader());
  const std::optional<Bound> End = boundAt(Variable, IsRising, Where);
  SmallVector<NextValue, 4> All;
  if (!End ||
      !addNextValues(L, Variable.getIncomingValueForBlock(L.getLoopLatch()), L.getLoopLatch(), L.getHeader(), All))
    return std::nullopt;
  LoopRange Range;
  const auto AddTests = [&](const Bound &Of) {
    if (Of.OfEachRound)
      Range.Tests.push_back({Of.Predicate, {Start, 0}, {Of.End, 0}});
    if (!CmpInst::isNonStrictPredicate(Of.Predicate))
      return;
    // The variable may reach the end itself. One more step must not wrap.
    const unsigned Bits = Start->getType()->getIntegerBitWidth();
    const bool IsSigned = CmpInst::isSigned(Of.Predicate);
    const APInt Outermost = IsRising ? (IsSigned ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits))
                                     : (IsSigned ? APInt::getSignedMinValue(Bits) : APInt::getMinValue(Bits));
    Range.Tests.push_back({CmpInst::ICMP_NE, {Of.End, 0}, {ConstantInt::get(Start->getType(), Outermost), 0}});
  };
  AddTests(*End);
  for (const NextValue &Next : All) {
    if (Next.V == &Variable)
      continue;
    if (!isStep(Next.V, Variable, IsRising))
      return std::nullopt;
    std::optional<Bound> Before = boundAt(Variable, IsRising, *Next.From);
    if (!Before)
      Before = boundAt(Variable, IsRising, *cast<Instruction>(Next.V)->getParent());
    if (!Before || CmpInst::isSigned(Before->Predicate) != CmpInst::isSigned(End->Predicate))
      return std::nullopt;
    if (Before->End != End->End || Before->Predicate != End->Predicate || Before->OfEachRound != End->OfEachRound)
      AddTests(*Before);
  }
  const LoopNumber Stop = {End->End, CmpInst::isNonStrictPredicate(End->Predicate) ? 0 : IsRising ? -1 : 1};
  Range.First = IsRising ? LoopNumber{Start, 0} : Stop;
  Range.Last = IsRising ? Stop : LoopNumber{Start, 0};
  return Range;
}

// The test low <= high holds where the middle is computed. So low <= middle <= high there: low only rises and high only
// falls, and neither leaves the numbers between the two start values by more than 1.
std::optional<LoopRange> LoopRanges::searching(Value *Middle) const {
  MiddleOf Of = middleOf(Middle);
  auto *At = dyn_cast<Instruction>(Middle);
  if (!At || !L.contains(At) || !Of.Low || !Of.High || Of.Low == Of.High || Of.Low->getParent() != L.getHeader() ||
      Of.High->getParent() != L.getHeader())
    return std::nullopt;
  const BasicBlock *Latch = L.getLoopLatch();
  const auto NextOf = [&](const PHINode *Variable) { return Variable->getIncomingValueForBlock(Latch); };
  for (const Fact &F : Facts) {
    if (!isAbove(F.Predicate))
      continue;
    PHINode *Low = nullptr, *High = nullptr;
    bool OfEachRound = false;
    for (auto [Left, Right] : {std::pair(Of.Low, Of.High), std::pair(Of.High, Of.Low)}) {
      const bool IsHere = F.Left == Left && F.Right == Right && holdsAt(F, *At->getParent());
      const bool IsOfNext = F.Left == NextOf(Left) && F.Right == NextOf(Right) && holdsOnBackEdge(F);
      if ((!IsHere && !IsOfNext) || (Of.IsOrdered && Left != Of.Low))
        continue;
      Low = Left;
      High = Right;
      OfEachRound = !IsHere;
    }
    SmallVector<NextValue, 4> OfLow, OfHigh;
    const bool IsSigned = CmpInst::isSigned(F.Predicate);
    if (!Low || !addNextValues(L, NextOf(Low), Latch, L.getHeader(), OfLow) ||
        !addNextValues(L, NextOf(High), Latch, L.getHeader(), OfHigh) || !isMiddleOrSame(OfLow, *Low, Middle, 1) ||
        !isMiddleOrSame(OfHigh, *High, Middle, IsSigned ? -1 : 0))
      continue;
    LoopRange Range;
    Value *First = Low->getIncomingValueForBlock(L.getLoopPreheader());
    Value *Last = High->getIncomingValueForBlock(L.getLoopPreheader());
    Range.First = {First, 0};
    Range.Last = {Last, CmpInst::isNonStrictPredicate(F.Predicate) ? 0 : -1};
    if (OfEachRound)
      Range.Tests.push_back({F.Predicate, {First, 0}, {Last, 0}});
    Range.Summed = {First, Last};
    return Range;
  }
  return std::nullopt;
}

std::optional<LoopRange> LoopRanges::of(Value *Index, const BasicBlock &Where) const {
  const auto [V, Plus] = splitConstant(Index);
  std::optional<LoopRange> Range;
  auto *Variable = dyn_cast<PHINode>(V);
  if (!Variable || Variable->getParent() != L.getHeader()) {
    Range = searching(V);
  } else {
    Range = stepping(*Variable, /*IsRising=*/true, Where);
    if (!Range)
      Range = stepping(*Variable, /*IsRising=*/false, Where);
  }
  if (Range) {
    Range->First.Plus += Plus;
    Range->Last.Plus += Plus;
  }
  return Range;
}

static Value *numberOf(BoundsBuilder &B, const LoopNumber &N, LoopNumbers &Numbers) {
  const unsigned Bits = N.Of->getType()->getIntegerBitWidth();
  const APInt Plus = APInt(64, uint64_t(N.Plus)).sextOrTrunc(Bits);
  if (auto *Constant = dyn_cast<ConstantInt>(N.Of))
    return B.getInt(Constant->getValue() + Plus);
  auto [Entry, New] = Numbers.try_emplace(N.Of, nullptr);
  if (New)
    Entry->second = B.CreateFreeze(N.Of);
  return B.CreateAdd(Entry->second, B.getInt(Plus));
}

// If First <= Last < Count without sign, no index from First to Last has wrapped.
Value *allBelow(BoundsBuilder &B, const LoopRange &Range, Value *Shift, Value *Count, LoopNumbers &Numbers) {
  Value *First = B.CreateAdd(numberOf(B, Range.First, Numbers), Shift);
  Value *Last = B.CreateAdd(numberOf(B, Range.Last, Numbers), Shift);
  Value *Good = B.CreateAnd(B.CreateICmpULE(First, Last), B.CreateICmpULT(Last, Count));
  for (const LoopRange::Test &T : Range.Tests)
    Good = B.CreateAnd(Good, B.CreateICmp(T.Predicate, numberOf(B, T.Left, Numbers), numberOf(B, T.Right, Numbers)));
  Value *Bits = nullptr;
  for (Value *Summed : Range.Summed) {
    Value *Number = numberOf(B, {Summed, 0}, Numbers);
    Bits = Bits ? B.CreateOr(Bits, Number) : Number;
  }
  if (!Bits)
    return Good;
  const unsigned Width = Bits->getType()->getIntegerBitWidth();
  return B.CreateAnd(Good,
                     B.CreateICmpULT(Bits, ConstantInt::get(Bits->getType(), APInt::getOneBitSet(Width, Width - 2))));
}

} // namespace gasan
