// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds the product of a growing distance and a thread's number, which is less than a count that shrinks at the same
// pace. Block scans and cyclic reductions have such products:
//
//   for (count = n / 2, distance = 1; count > 0; count /= 2, distance *= 2)
//     if (t < count)
//       data[distance * (2 * t + 2) - 1]               distance * count <= n / 2
//
// Intervals of distance and t do not show this: both are large, but not in the same round. In each round, the product
// of distance and count is at most their product in the first round. So for a < b, with t < count:
//
//   distance * (a * t + b) <= a * distance * count + (b - a) * distance
//
// The rule holds for whole numbers. It applies in launches in which all numbers are small (WholeNumbers.h).
#include "gasan_pass/instrument/proof/Formula.h"
#include "gasan_pass/instrument/proof/WholeNumbers.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

// A number of the form start * 2^(pace * rounds + ahead), or less where it is rounded down. `start` is the start of a
// loop's variable.
struct Paced {
  PHINode *Variable = nullptr; // null: there is no such number
  int Pace = 0, Ahead = 0;
};

Value *withoutExtension(Value *V) {
  Value *Inner;
  return match(V, m_ZExtOrSExt(m_Value(Inner))) ? Inner : V;
}

// Returns the number whose shift V is, and sets Shift to the number of bits, which is negative for a right shift. Null:
// V is not a shift.
Value *shifted(Value *V, int &Shift) {
  Value *From;
  const APInt *By;
  if (match(V, m_Shl(m_Value(From), m_APInt(By))) && By->ult(32))
    return Shift = int(By->getZExtValue()), From;
  if (match(V, m_Mul(m_Value(From), m_APInt(By))) && By->isPowerOf2() && By->getSignificantBits() <= 32)
    return Shift = int(By->logBase2()), From;
  if (match(V, m_Add(m_Value(From), m_Deferred(From))))
    return Shift = 1, From;
  if (match(V, m_Shr(m_Value(From), m_APInt(By))) && By->ult(32))
    return Shift = -int(By->getZExtValue()), From;
  if (match(V, m_IDiv(m_Value(From), m_APInt(By))) && By->isPowerOf2() && By->getSignificantBits() <= 32)
    return Shift = -int(By->logBase2()), From;
  return nullptr;
}

Paced pacedOf(Value *V, const LoopInfo &Loops) {
  Paced Result;
  V = withoutExtension(V);
  if (Value *From = isa<PHINode>(V) ? nullptr : shifted(V, Result.Ahead))
    V = From;
  auto *Phi = dyn_cast<PHINode>(V);
  const Loop *L = Phi ? Loops.getLoopFor(Phi->getParent()) : nullptr;
  if (L && L->getHeader() == Phi->getParent() && L->getLoopLatch() &&
      shifted(Phi->getIncomingValueForBlock(L->getLoopLatch()), Result.Pace) == Phi)
    Result.Variable = Phi;
  return Result;
}

// Factor * Number + Constant.
struct Linear {
  Value *Number;
  int64_t Factor = 1, Constant = 0;
};

Linear linearOf(Value *V) {
  Linear Result = {V};
  Value *From;
  const APInt *C;
  if (Formulas::isSum(V, From, C) && C->getSignificantBits() <= 32) {
    Result.Constant = C->getSExtValue();
    V = From;
  }
  if (int Shift; Value *Number = shifted(V, Shift))
    if (Shift >= 0) {
      Result.Factor = int64_t(1) << Shift;
      V = Number;
    }
  Result.Number = withoutExtension(V);
  return Result;
}

} // namespace

// Returns Most * 2^Ahead, rounded down.
static Node scaled(Program &Nodes, WholeNumbers &Whole, Node Most, int Ahead) {
  Node Scale = Whole.constant(int64_t(1) << std::abs(Ahead));
  return Ahead < 0 ? Nodes.operate(GASAN_PROOF_UDIV, WholeNumbers::kBits, Most, Scale)
                   : Whole.small(Whole.times(Most, Scale));
}

// Returns the product of the starts of two variables of a loop.
Node Formulas::productOfStarts(WholeNumbers &Whole, PHINode &A, PHINode &B, const Loop &L) {
  Node First = Whole.small(Whole.extended(startOf(A, L))), Second = Whole.small(Whole.extended(startOf(B, L)));
  return Whole.small(Whole.times(First, Second));
}

// Bounds a variable that grows while a count of the opposite pace is not 0.
std::optional<Node> Formulas::growingBesideCount(PHINode &Phi, const Loop &L) {
  const Paced Grown = pacedOf(&Phi, Loops);
  if (Grown.Variable != &Phi || Grown.Pace <= 0)
    return std::nullopt;
  auto IsPositive = [](const Relation &R) {
    const APInt *C;
    if (!match(R.Right, m_APInt(C)))
      return false;
    return ((R.Predicate == CmpInst::ICMP_NE || R.Predicate == CmpInst::ICMP_UGT) && C->isZero()) ||
           (R.Predicate == CmpInst::ICMP_SGT && C->isNonNegative()) ||
           (R.Predicate == CmpInst::ICMP_SGE && C->isStrictlyPositive());
  };
  for (const Place *P = Conditions.onEdge(L.getLoopLatch(), L.getHeader()); P; P = P->Outer)
    for (const Relation &R : P->Known) {
      const Paced Count = R.From && L.contains(R.From) && IsPositive(R) ? pacedOf(R.Left, Loops) : Paced();
      if (!Count.Variable || Count.Variable->getParent() != Phi.getParent() || Count.Pace != -Grown.Pace)
        continue;
      WholeNumbers Whole(Nodes);
      Node Most = productOfStarts(Whole, Phi, *Count.Variable, L);
      Most = scaled(Nodes, Whole, Most, Grown.Pace + Count.Ahead); // after one more round
      Node Result = Nodes.where(CmpInst::ICMP_ULE, anything(&Phi), Nodes.resize(Most, bitsOf(&Phi), false));
      Node Start = startOf(Phi, L); // without a round, whatever the count is
      return Whole.resultOrAny(unionOf(Start, Nodes.where(CmpInst::ICMP_UGE, Result, Start)));
    }
  return std::nullopt;
}

// Narrows the product of a paced number and a linear number by tests that bound the linear number by a number of the
// opposite pace.
Node Formulas::narrowProduct(BinaryOperator &Product, Node N, const Place *At) {
  for (unsigned Index : {0u, 1u}) {
    Value *Distance = Product.getOperand(Index), *Other = Product.getOperand(1 - Index);
    const Paced Grown = pacedOf(Distance, Loops);
    if (!Grown.Variable || !Grown.Pace)
      continue;
    const Loop &L = *Loops.getLoopFor(Grown.Variable->getParent());
    const Linear Line = linearOf(Other);
    auto Apply = [&](const Relation &R, const Place *Where) {
      const bool Strict = R.Predicate == CmpInst::ICMP_SLT || R.Predicate == CmpInst::ICMP_ULT;
      if (withoutExtension(R.Left) != Line.Number || openItem(&R) ||
          !(Strict || R.Predicate == CmpInst::ICMP_SLE || R.Predicate == CmpInst::ICMP_ULE))
        return;
      const Paced Count = pacedOf(R.Right, Loops);
      if (!Count.Variable || Count.Variable->getParent() != Grown.Variable->getParent() || Count.Pace != -Grown.Pace)
        return;
      WholeNumbers Whole(Nodes);
      auto Of = [&](Value *V, const Place *There) { return whileOpen(&R, 0, [&] { return of(V, There); }); };
      Node Factor = Whole.small(Whole.extended(Of(Distance, At)));
      Node Number = Whole.small(Whole.extended(Of(Line.Number, At)));
      const CmpInst::Predicate Above = CmpInst::getSwappedPredicate(R.Predicate);
      Whole.small(Whole.extended(Nodes.where(Above, Of(R.Right, Where), Of(R.Left, Where))));
      Node Multiple = Whole.small(Whole.times(Number, Whole.constant(Line.Factor)));
      Whole.small(Whole.times(Factor, Whole.small(Whole.plus(Multiple, Whole.constant(Line.Constant)))));
      Node Most = productOfStarts(Whole, *Grown.Variable, *Count.Variable, L);
      Most = scaled(Nodes, Whole, Most, Grown.Ahead + Count.Ahead);
      Most = Whole.times(Most, Whole.constant(Line.Factor));
      if (const int64_t Rest = Line.Constant - (Strict ? Line.Factor : 0); Rest > 0)
        Most = Whole.plus(Most, Whole.times(Factor, Whole.constant(Rest)));
      Whole.small(Most);
      N = Whole.result(Nodes.where(CmpInst::ICMP_SLE, N, Nodes.resize(Most, Nodes.bits(N), false)), N);
    };
    for (const Place *P = At; P; P = P->Outer)
      for (const Relation &R : P->Known) {
        Apply(R, P);
        Apply(R.swapped(), P);
      }
  }
  return N;
}

} // namespace gasan
