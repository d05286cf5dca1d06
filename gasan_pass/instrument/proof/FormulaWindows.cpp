// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds the position of an element in its windows. The gradient of a convolution, for example, visits all windows that
// contain the element:
//
//   first = x < size ? 0 : (x - size) / stride + 1
//   end = min(x / stride + 1, windows)
//   for (w = first; w < end; w++)
//     patches[x - w * stride]               0 <= x - w * stride < size
//
// Intervals of x and w * stride do not show this. The difference falls while w grows, so the values at both ends of the
// loop bound all others. At both ends, the difference is related to a remainder:
//
//   x - first * stride = (x - size) % stride + size - stride
//   x - (end - 1) * stride >= x % stride
//
// The rule holds for whole numbers. It applies in launches in which no operation can wrap: all numbers are from 0 to
// 2^31 - 1, and the stride is not 0. In other launches, the difference has the values that follow from its operands.
#include "gasan_pass/instrument/proof/Formula.h"
#include "gasan_pass/instrument/proof/WholeNumbers.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

constexpr unsigned kDeepest = 3; // operations inside each other

// Returns the division if V is a quotient by Stride, plus a constant. Null: it is not.
BinaryOperator *quotientIn(Value *V, const Value *Stride, int64_t &Added) {
  Value *A;
  const APInt *C;
  Added = 0;
  if (Formulas::isSum(V, A, C)) {
    Added = C->getSExtValue();
    V = A;
  }
  return match(V, m_IDiv(m_Value(), m_Specific(Stride))) && !cast<PossiblyExactOperator>(V)->isExact()
             ? cast<BinaryOperator>(V)
             : nullptr;
}

// Returns true if V is X, or a sum with X. Adds the other terms to Others.
bool splitSum(Value *V, const Value *X, SmallVectorImpl<Value *> &Others, unsigned Depth = 0) {
  Value *A, *B;
  if (V == X)
    return true;
  if (Depth > kDeepest || !match(V, m_Add(m_Value(A), m_Value(B))))
    return false;
  for (auto [In, Other] : {std::pair(A, B), std::pair(B, A)})
    if (splitSum(In, X, Others, Depth + 1)) {
      Others.push_back(Other);
      return true;
    }
  return false;
}

// Returns the x in the end's quotient; the minuend must be a sum with this x. Null: there is no such quotient.
Value *numberIn(Value *End, Value *Minuend, const Value *Stride, unsigned Depth = 0) {
  Value *A, *B;
  int64_t Added;
  if (BinaryOperator *Division = quotientIn(End, Stride, Added)) {
    SmallVector<Value *, 4> Others;
    return splitSum(Minuend, Division->getOperand(0), Others) ? Division->getOperand(0) : nullptr;
  }
  if (Depth > kDeepest || !(match(End, m_SMin(m_Value(A), m_Value(B))) || match(End, m_UMin(m_Value(A), m_Value(B)))))
    return nullptr;
  Value *X = numberIn(A, Minuend, Stride, Depth + 1);
  return X ? X : numberIn(B, Minuend, Stride, Depth + 1);
}

} // namespace

struct Formulas::Window {
  Formulas &F;
  Value *X, *Stride;
  WholeNumbers Whole = WholeNumbers(F.Nodes);

  Node small(Value *V, const Place *At) { return Whole.small(Whole.extended(F.of(V, At))); }

  // Returns From - Number * Stride.
  Node minus(Node From, Node Number, const Place *At) {
    return Whole.minus(From, Whole.times(Number, small(Stride, At)));
  }

  // Returns X - (V + Added) * Stride.
  Node place(Value *V, int64_t Added, const Place *At) {
    int64_t Also;
    Value *Size = nullptr;
    BinaryOperator *Division = quotientIn(V, Stride, Also);
    Value *Dividend = Division ? Division->getOperand(0) : nullptr;
    if (!Division || (Dividend != X && !match(Dividend, m_Sub(m_Specific(X), m_Value(Size)))))
      return minus(small(X, At), Whole.plus(small(V, At), Whole.constant(Added)), At);
    small(X, At);
    Whole.small(Whole.plus(small(Division, At), Whole.constant(Also)));
    Node Rest = F.Nodes.operate(GASAN_PROOF_UREM, WholeNumbers::kBits, small(Dividend, At), small(Stride, At));
    return minus(Size ? Whole.plus(Rest, small(Size, At)) : Rest, Whole.constant(Also + Added), At);
  }

  // Returns X - (First + Added) * Stride, for each value from which First is selected.
  Node placeOfFirst(Value *First, int64_t Added, const Place *At, unsigned Depth = 0) {
    auto *Number = dyn_cast<Instruction>(X);
    if (auto *Select = dyn_cast<SelectInst>(First); Select && Depth < kDeepest) {
      Value *Condition = Select->getCondition();
      Node True = placeOfFirst(Select->getTrueValue(), Added, F.Conditions.with(At, Condition, true), Depth + 1);
      return F.unionOf(
          True, placeOfFirst(Select->getFalseValue(), Added, F.Conditions.with(At, Condition, false), Depth + 1));
    }
    auto *Phi = dyn_cast<PHINode>(First);
    if (!Phi || Depth >= kDeepest || F.Loops.isLoopHeader(Phi->getParent()) ||
        (Number && !F.Conditions.tree().properlyDominates(Number->getParent(), Phi->getParent())))
      return place(First, Added, At);
    std::optional<Node> Result;
    for (BasicBlock *From : Phi->blocks())
      Result = F.unionOf(Result, placeOfFirst(Phi->getIncomingValueForBlock(From), Added,
                                              F.Conditions.onEdge(From, Phi->getParent()), Depth + 1));
    return *Result;
  }

  // Narrows N to values of at least X - (End - Before) * Stride.
  Node above(Node N, Value *End, int64_t Before, const Place *At, unsigned Depth = 0) {
    Value *A, *B;
    if (Depth < kDeepest && (match(End, m_SMin(m_Value(A), m_Value(B))) || match(End, m_UMin(m_Value(A), m_Value(B)))))
      return above(above(N, A, Before, At, Depth + 1), B, Before, At, Depth + 1);
    return F.Nodes.where(CmpInst::ICMP_SGE, N, place(End, -Before, At));
  }
};

// Narrows the position of X in the window with this number: Subtraction is X, or a sum with X, minus Number * Stride.
// The number is a loop's variable plus a constant, or tests bound it.
std::optional<Node> Formulas::inWindow(BinaryOperator &Subtraction, Value *Stride, Value *Number, Node Difference,
                                       const Place *At) {
  Value *Variable, *Minuend = Subtraction.getOperand(0);
  const APInt *Added = nullptr;
  auto *Phi = dyn_cast<PHINode>(isSum(Number, Variable, Added) ? Variable : Number);
  const Loop *L = Phi ? Loops.getLoopFor(Phi->getParent()) : nullptr;
  std::optional<Walk> W;
  if (L && L->getHeader() == Phi->getParent() && L->getLoopLatch())
    W = Walks.walkOf(*Phi, *L);
  Value *First = Number, *End = nullptr, *X = nullptr;
  int64_t Later = 0, Before = 1; // First + Later <= Number <= End - Before
  const Place *Outside = At;
  if (W && !(Added && Added->uge(W->Step))) {
    First = W->First;
    End = W->End;
    Later = Added ? Added->getSExtValue() : 0;
    Before = W->Step.getSExtValue() - Later;
    Outside = Conditions.at(L->getHeader());
    X = numberIn(End, Minuend, Stride);
  }
  for (const Place *P = At; P && !X; P = P->Outer)
    for (const Relation &Known : P->Known)
      for (const Relation &R : {Known, Known.swapped()})
        if (!X && R.Left == Number && (R.Predicate == CmpInst::ICMP_SLT || R.Predicate == CmpInst::ICMP_ULT)) {
          End = R.Right;
          X = numberIn(End, Minuend, Stride);
        }
  SmallVector<Value *, 4> Others;
  if (!X || !splitSum(Minuend, X, Others))
    return std::nullopt;
  Window In = {*this, X, Stride};
  WholeNumbers &Whole = In.Whole;
  Whole.small(Whole.plus(In.small(Stride, At), Whole.constant(-1)));
  In.small(First, Outside);
  In.small(End, Outside);
  Node Here = In.small(X, At), Multiplier = In.small(Number, At);
  Whole.small(Whole.times(Multiplier, In.small(Stride, At)));
  Node Where = In.minus(Here, Multiplier, At);
  Where = Nodes.where(CmpInst::ICMP_SLE, Where, In.placeOfFirst(First, Later, Outside));
  Where = In.above(Where, End, Before, Outside);
  Node Sum = Here;
  for (Value *Other : Others) {
    Node Term = In.small(Other, At);
    Sum = Whole.plus(Sum, Term);
    Where = Whole.plus(Where, Term);
  }
  Whole.small(Sum);
  Whole.small(Where);
  Node Narrowed = Nodes.where(CmpInst::ICMP_EQ, Difference, Nodes.resize(Where, bitsOf(&Subtraction), false));
  return Whole.result(Narrowed, Difference);
}

Node Formulas::narrowInWindow(BinaryOperator &Subtraction, Node Difference, const Place *At) {
  Value *A, *B;
  if (bitsOf(&Subtraction) != 32 || !match(Subtraction.getOperand(1), m_Mul(m_Value(A), m_Value(B))))
    return Difference;
  std::optional<Node> Narrowed = inWindow(Subtraction, A, B, Difference, At);
  return Narrowed ? *Narrowed : inWindow(Subtraction, B, A, Difference, At).value_or(Difference);
}

} // namespace gasan
