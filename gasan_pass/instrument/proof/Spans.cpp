// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/Spans.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

constexpr unsigned kDeepest = 8;

std::optional<Spans::Step> Spans::stepOf(PHINode &Phi, const Loop &L) {
  Step S = {};
  if (!Phi.getType()->isIntegerTy() || Phi.getNumIncomingValues() != 2)
    return std::nullopt;
  S.Next = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  if (!S.Next || !match(S.Next, m_Add(m_Specific(&Phi), m_APInt(S.By))) || !S.By->isPowerOf2() || S.By->isSignMask())
    return std::nullopt;
  const unsigned Index = Phi.getIncomingBlock(0) == L.getLoopLatch();
  S.Start = Phi.getIncomingValue(Index);
  S.Entry = Phi.getIncomingBlock(Index);
  return S;
}

// Returns the loop-invariant value that ends the loop when the variable equals it, or when another variable that starts
// at 0 and has the same step equals it (then OfPhi is false). Null: the loop has no such test.
Value *Spans::countTo(PHINode &Phi, const Step &S, const Loop &L, bool &OfPhi) {
  for (const Relation &Known : Conditions.onEdge(L.getLoopLatch(), L.getHeader())->Known)
    for (const Relation &R : {Known, Known.swapped()}) {
      auto *Next = dyn_cast<BinaryOperator>(R.Left);
      if (R.Predicate != CmpInst::ICMP_NE || R.From != L.getLoopLatch() || !Next || !L.isLoopInvariant(R.Right))
        continue;
      OfPhi = Next == S.Next;
      if (OfPhi)
        return R.Right;
      auto *Counter = dyn_cast<PHINode>(Next->getOperand(0));
      std::optional<Step> Other =
          Counter && Counter->getParent() == L.getHeader() && Counter->getType() == Phi.getType() ? stepOf(*Counter, L)
                                                                                                  : std::nullopt;
      // The other variable must have no flags: it may keep a promise only because the program keeps its own.
      if (Other && Other->Next == Next && match(Other->Start, m_Zero()) && *Other->By == *S.By &&
          !Next->hasNoSignedWrap() && !Next->hasNoUnsignedWrap())
        return R.Right;
    }
  return nullptr;
}

bool Spans::isDistance(Value *V, const Span &S) {
  return match(V, m_Sub(m_Specific(S.End), m_Specific(S.First)));
}

bool Spans::isBelow(Value *First, Value *End, const Place *At, bool Signed) {
  Value *A, *B;
  if (Signed ? match(First, m_SExt(m_Value(A))) && match(End, m_SExt(m_Value(B)))
             : match(First, m_ZExt(m_Value(A))) && match(End, m_ZExt(m_Value(B))))
    if (A->getType() == B->getType() && isBelow(A, B, At, Signed))
      return true;
  auto IsNoLess = [&](Value *V) { // V >= First
    return V == First || (Signed ? match(First, m_c_SMin(m_Specific(V), m_Value()))
                                 : match(First, m_c_UMin(m_Specific(V), m_Value())));
  };
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &Known : P->Known)
      for (const Relation &R : {Known, Known.swapped()})
        if (R.Predicate == (Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT) && R.Right == End && IsNoLess(R.Left))
          return true;
  return false;
}

// Returns the constant with which an equality relation such as `end != first + 1` compares the distance. Null: the
// relation is about something else.
const APInt *Spans::distanceOf(const Relation &R, const Span &S) {
  const APInt *Result;
  const auto *Sum = dyn_cast<OverflowingBinaryOperator>(R.Right);
  if (!CmpInst::isEquality(R.Predicate) || R.Left != S.End || !Sum || Sum->hasNoSignedWrap() ||
      Sum->hasNoUnsignedWrap() || !match(R.Right, m_Add(m_Specific(S.First), m_APInt(Result))))
    return nullptr;
  return Result;
}

// Returns the range of the distance, which is not 0, as the tests bound it.
ConstantRange Spans::distanceAt(const Span &S, const Place *At) {
  const unsigned Bits = S.First->getType()->getIntegerBitWidth();
  ConstantRange Result(APInt(Bits, 1), APInt(Bits, 0));
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &Known : P->Known)
      for (const Relation &R : {Known, Known.swapped()}) {
        const APInt *Limit, *Added;
        Value *Sum;
        if (const APInt *Distance = distanceOf(R, S)) {
          Result =
              Result.intersectWith(ConstantRange::makeExactICmpRegion(R.Predicate, *Distance), ConstantRange::Unsigned);
          continue;
        }
        if (!match(R.Right, m_APInt(Limit)))
          continue;
        const ConstantRange Passes = ConstantRange::makeExactICmpRegion(R.Predicate, *Limit);
        if (isDistance(R.Left, S))
          Result = Result.intersectWith(Passes, ConstantRange::Unsigned);
        else if (match(R.Left, m_Sub(m_Specific(S.First), m_Specific(S.End))))
          Result = Result.intersectWith(ConstantRange(APInt(Bits, 0)).sub(Passes), ConstantRange::Unsigned);
        else if (match(R.Left, m_Add(m_Value(Sum), m_APInt(Added))) && isDistance(Sum, S))
          Result = Result.intersectWith(Passes.sub(ConstantRange(*Added)), ConstantRange::Unsigned);
      }
  return Result;
}

// Returns the parts that are certainly 0, and LowIsNotZero.
unsigned Spans::whatIsZero(const Span &S, const Place *At) {
  const APInt Power = APInt::getOneBitSet(S.First->getType()->getIntegerBitWidth(), S.Split);
  unsigned Result = S.Split ? 0 : Low;
  if (distanceAt(S, At).getUnsignedMax().ult(Power))
    Result |= High | LowIsNotZero;
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &R : P->Known) {
      Value *Of;
      if (!CmpInst::isEquality(R.Predicate) || !match(R.Right, m_Zero()) ||
          !match(R.Left, m_And(m_Value(Of), m_SpecificInt(Power - 1))) || !isDistance(Of, S))
        continue;
      Result |= R.Predicate == CmpInst::ICMP_EQ ? Low : LowIsNotZero;
    }
  return Result;
}

// Returns the value's parts on the paths through a place to a block.
unsigned Spans::partsOf(Value *V, const Span &S, const Place *At, const BasicBlock *To, unsigned Depth) {
  const unsigned Zero = whatIsZero(S, At), NotZero = Zero & LowIsNotZero;
  if (V == S.First)
    return Nothing | Zero;
  if (Depth > kDeepest)
    return 0;
  if (auto *Phi = dyn_cast<PHINode>(V)) {
    const Loop *L = Loops.getLoopFor(Phi->getParent());
    if (L && L->getHeader() == Phi->getParent())
      return 0;
    unsigned Result = ~0u;
    for (unsigned Index = 0; Index < Phi->getNumIncomingValues(); ++Index) {
      const Place *Edge = Conditions.onEdge(Phi->getIncomingBlock(Index), Phi->getParent());
      Result &= partsOf(Phi->getIncomingValue(Index), S, Edge, Phi->getParent(), Depth + 1);
    }
    return Result | NotZero;
  }
  auto *Next = dyn_cast<BinaryOperator>(V);
  if (Next && S.Split == 1 && (NotZero & LowIsNotZero) && match(V, m_Add(m_Specific(S.First), m_One())) &&
      !(S.Signed ? Next->hasNoUnsignedWrap() : Next->hasNoSignedWrap())) // the sum is at most End, in this order
    return Low | NotZero;
  // The variable's value after its loop has ended.
  auto *Variable = Next ? dyn_cast<PHINode>(Next->getOperand(0)) : nullptr;
  const Loop *L = Variable ? Loops.getLoopFor(Variable->getParent()) : nullptr;
  if (!L || L->getHeader() != Variable->getParent() || !L->getLoopLatch() ||
      L->getExitingBlock() != L->getLoopLatch() || L->contains(To) ||
      Variable->getIncomingValueForBlock(L->getLoopLatch()) != Next)
    return 0;
  return reached(*Variable, *L, S, Depth + 1) | NotZero;
}

// Returns the parts of the variable's value when the test ends the loop. 0: it is not certain that the variable stays
// in the span until then.
unsigned Spans::reached(PHINode &Phi, const Loop &L, const Span &S, unsigned Depth) {
  std::optional<Step> By = stepOf(Phi, L);
  bool OfPhi = false;
  Value *Count = By ? countTo(Phi, *By, L, OfPhi) : nullptr, *Of;
  if (!Count)
    return 0;
  const APInt Power = APInt::getOneBitSet(By->By->getBitWidth(), S.Split);
  const unsigned Begin = partsOf(By->Start, S, Conditions.onEdge(By->Entry, L.getHeader()), L.getHeader(), Depth);
  const bool HighIsNotZero = distanceAt(S, Conditions.at(L.getHeader())).getUnsignedMin().uge(Power);
  auto Added = [&](unsigned Own, unsigned Other) { return (Begin & Nothing ? Own : 0u) | (Begin & Other ? All : 0u); };
  if (OfPhi)
    return Count == S.End && *By->By == Power && HighIsNotZero && (Begin & Low) ? All : 0;
  if (match(Count, m_And(m_Value(Of), m_SpecificInt(-Power))) && isDistance(Of, S))
    return By->By->ule(Power) && HighIsNotZero ? Added(High, Low) : 0;
  if (match(Count, m_And(m_Value(Of), m_SpecificInt(Power - 1))) && isDistance(Of, S))
    return By->By->isOne() && (Begin & LowIsNotZero) ? Added(Low, High) : 0;
  return 0;
}

std::optional<Walk> Spans::walkOf(PHINode &Phi, const Loop &L) {
  std::optional<Step> By = stepOf(Phi, L);
  bool OfPhi = false;
  Value *Count = By ? countTo(Phi, *By, L, OfPhi) : nullptr, *Of, *First, *End;
  if (!Count)
    return std::nullopt;
  auto Try = [&](Value *First, Value *End, unsigned Split, BinaryOperator *Distance) -> std::optional<Walk> {
    auto IsThere = [&](Value *V) {
      auto *I = dyn_cast<Instruction>(V);
      return L.isLoopInvariant(V) && (!I || Conditions.tree().dominates(I, L.getHeader()));
    };
    if (!IsThere(First) || !IsThere(End))
      return std::nullopt;
    for (bool Signed : {false, true})
      if (isBelow(First, End, Conditions.at(L.getHeader()), Signed) && reached(Phi, L, {First, End, Split, Signed}, 0))
        return Walk{First, End, Signed, *By->By, By->Next, Distance};
    return std::nullopt;
  };
  if (!OfPhi) {
    const APInt *Mask;
    if (!match(Count, m_And(m_Value(Of), m_APInt(Mask))) || !match(Of, m_Sub(m_Value(End), m_Value(First))) ||
        Mask->isAllOnes() || !(Mask->isMask() || Mask->isNegatedPowerOf2()))
      return std::nullopt;
    return Try(First, End, Mask->isNegatedPowerOf2() ? Mask->countr_zero() : Mask->countr_one(),
               cast<BinaryOperator>(Of));
  }
  SmallVector<Value *, 4> Begins = {By->Start};
  if (auto *Merge = dyn_cast<PHINode>(By->Start))
    append_range(Begins, Merge->incoming_values());
  for (Value *Begin : Begins)
    if (std::optional<Walk> Found = Try(Begin, Count, By->By->logBase2(), nullptr))
      return Found;
  return std::nullopt;
}

} // namespace gasan
