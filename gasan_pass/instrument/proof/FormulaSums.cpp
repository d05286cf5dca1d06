// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds the sum of two numbers by a test that relates them, as for the last tile of an array, which may be partial:
//
//   valid = min(n - first, 1024)
//   if (t + 1 < valid)
//     data[first + t + 1]         first + t < n - 1
//
//   if (first + t < n)
//     (data + first)[t]           first + t < n
//
// Intervals of first and t do not show this. Test and access may each have the sum as one integer, or as two
// steps of a pointer.
//
// The rule holds for whole numbers. It applies in launches in which no operation can wrap: all numbers and the tested
// one are from 0 to 2^31 - 1, and first is at most n unless the tests exclude the contrary. In other launches, the sum
// has the values that follow from its operands.
#include "gasan_pass/instrument/proof/Formula.h"
#include "gasan_pass/instrument/proof/WholeNumbers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

// Number + Constant, as a value that may be extended or truncated. Number has at least 32 bits.
struct Shifted {
  Value *Number;
  int64_t Constant;
};

bool isWideEnough(const Value *V) {
  return V->getType()->isIntegerTy() && V->getType()->getIntegerBitWidth() >= 32;
}

// Removes casts that do not change numbers from 0 to 2^31 - 1.
Value *withoutCasts(Value *V) {
  Value *Inner;
  while ((match(V, m_ZExtOrSExt(m_Value(Inner))) || match(V, m_Trunc(m_Value(Inner)))) && isWideEnough(V) &&
         isWideEnough(Inner))
    V = Inner;
  return V;
}

Shifted withoutConstant(Value *V) {
  V = withoutCasts(V);
  Value *A;
  const APInt *C;
  return Formulas::isSum(V, A, C) && C->getSignificantBits() <= 32 ? Shifted{withoutCasts(A), C->getSExtValue()}
                                                                   : Shifted{V, 0};
}

// The statement of a test: Number + Other + Constant <= Limit, or < if it is strict. A null Other counts as 0.
struct Test {
  Value *Number, *Other;
  int64_t Constant;
  Value *Limit;
  bool Strict, Signed;
};

std::optional<Test> testOf(const Relation &R) {
  const bool Strict = R.Predicate == CmpInst::ICMP_SLT || R.Predicate == CmpInst::ICMP_ULT;
  if (!isWideEnough(R.Left) || !(Strict || R.Predicate == CmpInst::ICMP_SLE || R.Predicate == CmpInst::ICMP_ULE))
    return std::nullopt;
  const Shifted Left = withoutConstant(R.Left);
  const bool Signed = CmpInst::isSigned(R.Predicate);
  Value *A, *B;
  if (match(Left.Number, m_Add(m_Value(A), m_Value(B))) && !isa<Constant>(B))
    return Test{withoutCasts(A), withoutCasts(B), Left.Constant, R.Right, Strict, Signed};
  return Test{Left.Number, nullptr, Left.Constant, R.Right, Strict, Signed};
}

// Returns X if V is X - W, or a minimum of this and other numbers. Sets Unsigned if a minimum is unsigned.
Value *minuendOf(Value *V, const Value *W, bool &Unsigned, unsigned Depth = 0) {
  constexpr unsigned kDeepest = 3;
  V = withoutCasts(V);
  Value *A, *B;
  if (Depth > kDeepest || !isWideEnough(V))
    return nullptr;
  if (match(V, m_Sub(m_Value(A), m_Value(B))))
    return withoutCasts(B) == W ? withoutCasts(A) : nullptr;
  const bool Here = match(V, m_UMin(m_Value(A), m_Value(B)));
  if (!Here && !match(V, m_SMin(m_Value(A), m_Value(B))))
    return nullptr;
  for (Value *Operand : {A, B})
    if (Value *X = minuendOf(Operand, W, Unsigned, Depth + 1)) {
      Unsigned |= Here;
      return X;
    }
  return nullptr;
}

} // namespace

bool Formulas::isSum(Value *V, Value *&A, const APInt *&C) {
  Value *B;
  if (match(V, m_Add(m_Value(A), m_APInt(C))))
    return true;
  return match(V, m_Or(m_Value(A), m_Value(B))) && match(B, m_APInt(C)) &&
         haveNoCommonBitsSet(A, B, withoutPromises(cast<Instruction>(V)->getDataLayout()));
}

// Returns the values of Sum, a 64-bit node of V + W, that pass the tests. Empty: no test relates V and W. Ignores tests
// of the instruction Self, which add nothing.
std::optional<Node> Formulas::relatedSum(Value *V, Value *W, Node Sum, const Place *At, const Value *Self) {
  if (!isWideEnough(V) || !isWideEnough(W))
    return std::nullopt;
  const Shifted First = withoutConstant(V), Second = withoutConstant(W);
  std::optional<Node> Result;
  auto Apply = [&](const Relation &R, const Relation &Key, const Place *Where) {
    const std::optional<Test> T = withoutCasts(R.Left) == Self ? std::nullopt : testOf(R);
    if (!T)
      return;
    const bool IsSum = T->Other && ((T->Number == First.Number && T->Other == Second.Number) ||
                                    (T->Number == Second.Number && T->Other == First.Number));
    bool Unsigned = !T->Signed;
    Value *X = nullptr, *Subtracted = nullptr;
    for (auto [Tested, Other] : {std::pair(First.Number, Second.Number), std::pair(Second.Number, First.Number)})
      if (!IsSum && !X && !T->Other && T->Number == Tested) {
        X = minuendOf(T->Limit, Other, Unsigned);
        Subtracted = Other;
      }
    if ((!IsSum && !X) || openItem(&Key))
      return;
    WholeNumbers Whole(Nodes);
    Node A = Whole.extended(of(First.Number, At)), B = Whole.extended(of(Second.Number, At));
    Node Tested = IsSum ? Whole.plus(A, B) : T->Number == First.Number ? A : B;
    SmallSetVector<Node, 8> Small;
    Small.insert_range(
        ArrayRef({A, B, Whole.plus(A, Whole.constant(First.Constant)), Whole.plus(B, Whole.constant(Second.Constant)),
                  Whole.plus(Tested, Whole.constant(T->Constant))}));
    for (Node N : Small)
      Whole.small(N);
    Node Limit =
        whileOpen(&Key, 0, [&] { return Whole.extended(of(IsSum ? T->Limit : X, Where), IsSum && T->Signed); });
    if (!IsSum) {
      Whole.small(Limit);
      if (Unsigned)
        Whole.refuse(CmpInst::ICMP_UGT, Subtracted == First.Number ? A : B, Limit);
    }
    const int64_t Most = First.Constant + Second.Constant - T->Constant - int64_t(T->Strict);
    Node Narrowed = Nodes.where(CmpInst::ICMP_SLE, Sum, Whole.plus(Limit, Whole.constant(Most)));
    Narrowed = Whole.result(Narrowed, Sum);
    Result = Result ? Nodes.where(CmpInst::ICMP_EQ, *Result, Narrowed) : Narrowed;
  };
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &R : P->Known) {
      Apply(R, R, P);
      Apply(R.swapped(), R, P);
    }
  return Result;
}

// Narrows a sum of two or more terms by tests that relate two of the terms.
Node Formulas::narrowByTerms(BinaryOperator &Addition, Node Sum, const Place *At) {
  constexpr size_t kMost = 4;
  SmallVector<Value *, 4> Terms = {&Addition};
  Value *A, *B;
  for (size_t Next = 0; Next < Terms.size();) // replaces a sum by its operands
    if (match(Terms[Next], m_Add(m_Value(A), m_Value(B))) && Terms.size() < kMost) {
      Terms[Next] = A;
      Terms.push_back(B);
    } else {
      ++Next;
    }
  const unsigned Bits = bitsOf(&Addition);
  if (!isWideEnough(&Addition) || any_of(Terms, IsaPred<ConstantInt>))
    return Sum;
  for (size_t First = 0; First < Terms.size(); ++First)
    for (size_t Second = First + 1; Second < Terms.size(); ++Second) {
      WholeNumbers Whole(Nodes);
      auto TermAt = [&](size_t Index) { return Whole.extended(of(Terms[Index], At)); };
      Node Pair = Whole.plus(TermAt(First), TermAt(Second));
      std::optional<Node> Total = relatedSum(Terms[First], Terms[Second], Pair, At, &Addition);
      if (!Total)
        continue;
      for (size_t Other = 0; Other < Terms.size(); ++Other)
        if (Other != First && Other != Second)
          Total = Whole.plus(*Total, Whole.small(TermAt(Other)));
      Whole.small(*Total);
      Sum = Whole.result(Nodes.where(CmpInst::ICMP_EQ, Sum, Nodes.resize(*Total, Bits, false)), Sum);
    }
  return Sum;
}

// Narrows a difference from above by tests of its operands: with t <= m, the difference (t + 15) - m is at most 15.
// isAtLeast() narrows it from below.
Node Formulas::narrowDifference(BinaryOperator &Subtraction, Node Difference, const Place *At) {
  const Shifted First = withoutConstant(Subtraction.getOperand(0)), Second = withoutConstant(Subtraction.getOperand(1));
  const unsigned Bits = bitsOf(&Subtraction);
  if (!isWideEnough(&Subtraction) || isa<Constant>(First.Number) || First.Number == Second.Number)
    return Difference;
  auto Apply = [&](const Relation &R) {
    const std::optional<Test> T = testOf(R);
    const Shifted Limit = T ? withoutConstant(T->Limit) : Shifted{};
    if (!T || T->Other || T->Number != First.Number || Limit.Number != Second.Number)
      return;
    WholeNumbers Whole(Nodes);
    Node A = Whole.extended(of(First.Number, At)), B = Whole.extended(of(Second.Number, At));
    for (int64_t Constant : {int64_t(0), First.Constant, T->Constant})
      Whole.small(Whole.plus(A, Whole.constant(Constant)));
    for (int64_t Constant : {int64_t(0), Second.Constant, Limit.Constant})
      Whole.small(Whole.plus(B, Whole.constant(Constant)));
    const int64_t Most = First.Constant - Second.Constant - T->Constant + Limit.Constant - int64_t(T->Strict);
    Node Narrowed = Nodes.where(CmpInst::ICMP_SLE, Difference, Nodes.constant(Bits, uint64_t(Most)));
    Difference = Whole.result(Narrowed, Difference);
  };
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &R : P->Known) {
      Apply(R);
      Apply(R.swapped());
    }
  return Difference;
}

// Narrows the offset by tests that relate two of the steps that lead to the pointer.
Node Formulas::narrowBySteps(Value *Pointer, Node Offset, const Place *At) {
  constexpr size_t kMost = 6;
  const DataLayout &DL = Kernel.getDataLayout();
  SmallMapVector<Value *, APInt, 4> Scales; // of all steps
  APInt Constant(WholeNumbers::kBits, 0);
  Value *Base = Pointer;
  for (Value *From; !Steps.isMerge(Base) && (From = Steps.stepFrom(Base)); Base = From)
    if (auto *Gep = dyn_cast<GEPOperator>(Base); Gep && !Gep->collectOffset(DL, WholeNumbers::kBits, Scales, Constant))
      return Offset;
  if (Scales.size() < 2 || Scales.size() > kMost)
    return Offset;
  WholeNumbers Whole(Nodes);
  auto Wide = [&](Value *Index) { return Whole.extended(of(Index, At), /*Signed=*/true); };
  for (const auto *First = Scales.begin(); First != Scales.end(); ++First)
    for (const auto *Second = std::next(First); Second != Scales.end(); ++Second) {
      if (First->second != Second->second)
        continue;
      Node Sum = Whole.plus(Wide(First->first), Wide(Second->first));
      std::optional<Node> Narrowed = relatedSum(First->first, Second->first, Sum, At);
      if (!Narrowed)
        continue;
      Node Other = Whole.times(*Narrowed, Nodes.constant(First->second));
      for (const auto &[Index, Scale] : Scales)
        if (Index != First->first && Index != Second->first)
          Other = Whole.plus(Other, Whole.times(Wide(Index), Nodes.constant(Scale)));
      int64_t Moved, OtherMoved;
      Offset = Nodes.splitConstant(Offset, Moved); // the constant stays outside (sumOfOffsets)
      Other =
          Nodes.splitConstant(sumOfOffsets(of(Base, At), sumOfOffsets(Other, Nodes.constant(Constant))), OtherMoved);
      Other = Whole.plus(Other, Whole.constant(int64_t(uint64_t(OtherMoved) - uint64_t(Moved))));
      Offset = Whole.plus(Nodes.where(CmpInst::ICMP_EQ, Offset, Other), Whole.constant(Moved));
    }
  return Offset;
}

} // namespace gasan
