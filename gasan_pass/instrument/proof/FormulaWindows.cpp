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
#include "gasan_pass/instrument/proof/Unrolled.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

constexpr unsigned kDeepest = 3; // operations inside each other

// Returns the division if V is a quotient by Stride, plus a constant. Null: it is not. Code from PTX divides by another
// number if the stride is 0 or -1, where the rule does not apply, and has another quotient for -1.
BinaryOperator *quotientIn(Value *V, const Value *Stride, int64_t &Added) {
  Value *A, *Divisor;
  const APInt *C;
  Added = 0;
  if (Formulas::isSum(V, A, C)) {
    Added = C->getSExtValue();
    V = A;
  }
  match(V, m_Select(m_SpecificICmp(CmpInst::ICMP_EQ, m_Specific(Stride), m_AllOnes()), m_Value(), m_Value(V)));
  if (!match(V, m_IDiv(m_Value(), m_Value(Divisor))) || cast<PossiblyExactOperator>(V)->isExact())
    return nullptr;
  match(Divisor, m_Freeze(m_Value(Divisor)));
  const bool IsStride = Divisor == Stride || any_of(std::array{false, true}, [&](bool IsSigned) {
                          return Formulas::isSafeDivisor(Divisor, Stride, IsSigned, /*KnowsMinusOne=*/true);
                        });
  return IsStride ? cast<BinaryOperator>(V) : nullptr;
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

// The number of a window: a value, or a polynomial's Variable + More, which is not a value of the code (then Number is
// null).
struct Formulas::WindowNumber {
  Value *Number, *Variable;
  int64_t More;
};

// First + Later <= number <= End - Before.
struct Formulas::WindowRange {
  Value *First, *End = nullptr, *X = nullptr; // X: of the end's quotient; null: no range is known
  int64_t Later, Before = 1;
  const Place *Outside;                     // where First and End are evaluated
  std::shared_ptr<Unrolled> Loop = nullptr; // whose requirements are the rule's, too
};

// Returns the least distance from First to End that tests of its low bits leave, if the distance is more than 0.
static int64_t leastDistance(const Value *First, const Value *End, const Place *At) {
  constexpr unsigned kMost = 16;
  unsigned Count = 0; // of remainders
  uint64_t Left = 0;  // remainders that are possible, as bits
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &R : P->Known) {
      const APInt *Mask, *Rest;
      if (!CmpInst::isEquality(R.Predicate) || !match(R.Right, m_APInt(Rest)) ||
          !match(R.Left, m_And(m_Sub(m_Specific(End), m_Specific(First)), m_APInt(Mask))) || !Mask->isMask() ||
          Mask->uge(kMost) || Rest->uge(kMost) || (Count && Count != Mask->getZExtValue() + 1))
        continue;
      if (!Count)
        Left = maskTrailingOnes<uint64_t>(Count = unsigned(Mask->getZExtValue()) + 1);
      const uint64_t Bit = uint64_t(1) << Rest->getZExtValue();
      Left &= R.Predicate == CmpInst::ICMP_EQ ? Bit : ~Bit;
    }
  return Left && !(Left & 1) ? countr_zero(Left) : 1;
}

static bool isKnownBefore(const Loop &L, const DominatorTree &Tree, const Value *V) {
  const auto *I = dyn_cast_or_null<Instruction>(V);
  return V && L.isLoopInvariant(V) && (!I || Tree.dominates(I, L.getHeader()));
}

// Sets the range of a variable of the loop, plus a constant. Leaves it unchanged if the loop's rounds are not known.
void Formulas::rangeInLoop(const WindowNumber &Of, PHINode &Phi, const Loop &L, const Value &Stride, Value *Minuend,
                           WindowRange &Range) {
  const Place *Outside = Conditions.at(L.getHeader());
  const std::optional<Walk> W = Walks.walkOf(Phi, L);
  if (W && W->Step.ugt(uint64_t(Of.More))) {
    Range = {W->First, W->End, numberIn(W->End, Minuend, &Stride), Of.More, W->Step.getSExtValue() - Of.More, Outside};
    return;
  }
  Unrolled Rounds = {{*this, Sums}, L, Phi};
  if (!isInteger(&Phi) || bitsOf(&Phi) != 32 || !Rounds.isUnrolled() || !Rounds.Step.constant())
    return;
  const Polynomial Past = Rounds.First.plus(Rounds.Last).plus(1);
  const std::optional<unsigned> From = Polynomials::onlyAtom(Rounds.First), To = Polynomials::onlyAtom(Past);
  Value *First = From ? Sums.atom(*From) : nullptr, *End = To ? Sums.atom(*To) : nullptr;
  if (!isKnownBefore(L, Conditions.tree(), First) || !isKnownBefore(L, Conditions.tree(), End) ||
      Sums.of(First) != Rounds.First || Sums.of(End) != Past)
    return;
  const int64_t Skipped = Rounds.IsMain ? int64_t(Rounds.Rounds - 1) * *Rounds.Step.constant() : 0;
  if (Value *X = numberIn(End, Minuend, &Stride)) {
    Range = {First, End, X, Of.More, 1 + Skipped - Of.More, Outside};
    Range.Loop = std::make_shared<Unrolled>(Rounds);
  }
}

// Returns the range of a window's number: by its loop, or by tests.
Formulas::WindowRange Formulas::rangeOf(const WindowNumber &Of, const Value &Stride, Value *Minuend, const Place *At) {
  auto *Phi = dyn_cast<PHINode>(Of.Variable);
  const Loop *L = Phi ? Loops.getLoopFor(Phi->getParent()) : nullptr;
  WindowRange Range = {.First = Of.Number ? Of.Number : Of.Variable, .Later = Of.Number ? 0 : Of.More, .Outside = At};
  if (L && L->getHeader() == Phi->getParent() && L->getLoopLatch() && Of.More >= 0)
    rangeInLoop(Of, *Phi, *L, Stride, Minuend, Range);
  for (const Place *P = At; P && !Range.X; P = P->Outer)
    for (const Relation &Known : P->Known)
      for (const Relation &R : {Known, Known.swapped()}) {
        const bool IsBelow = R.Predicate == CmpInst::ICMP_SLT || R.Predicate == CmpInst::ICMP_ULT;
        if (Range.X || !IsBelow)
          continue;
        const bool IsVariable = R.Left == Of.Variable && Of.More >= 0 && leastDistance(R.Left, R.Right, At) > Of.More;
        if (R.Left != Of.Number && !IsVariable)
          continue;
        Range.End = R.Right;
        Range.X = numberIn(R.Right, Minuend, &Stride);
        if (IsVariable)
          Range = {Of.Variable, Range.End, Range.X, Of.More, Range.Before, Range.Outside};
      }
  return Range;
}

// Narrows the position of X in the window with this number: Subtraction is X, or a sum with X, minus the number *
// Stride. The number is a loop's variable plus a constant, or tests bound it.
std::optional<Node> Formulas::inWindow(BinaryOperator &Subtraction, Value *Stride, const WindowNumber &Of,
                                       Node Difference, const Place *At) {
  Value *Minuend = Subtraction.getOperand(0);
  WindowRange Range = rangeOf(Of, *Stride, Minuend, At);
  SmallVector<Value *, 4> Others;
  if (!Range.X || !splitSum(Minuend, Range.X, Others))
    return std::nullopt;
  Window In = {*this, Range.X, Stride};
  WholeNumbers &Whole = In.Whole;
  if (Range.Loop && !Range.Loop->require(Whole))
    return std::nullopt;
  Whole.small(Whole.plus(In.small(Stride, At), Whole.constant(-1)));
  In.small(Range.First, Range.Outside);
  In.small(Range.End, Range.Outside);
  Node Here = In.small(Range.X, At);
  Node Multiplier =
      Of.Number ? In.small(Of.Number, At) : Whole.small(Whole.plus(In.small(Of.Variable, At), Whole.constant(Of.More)));
  Whole.small(Whole.times(Multiplier, In.small(Stride, At)));
  Node Where = In.minus(Here, Multiplier, At);
  Where = Nodes.where(CmpInst::ICMP_SLE, Where, In.placeOfFirst(Range.First, Range.Later, Range.Outside));
  Where = In.above(Where, Range.End, Range.Before, Range.Outside);
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
  Value *A, *B, *Subtrahend = Subtraction.getOperand(1);
  if (bitsOf(&Subtraction) != 32)
    return Difference;
  if (match(Subtrahend, m_Mul(m_Value(A), m_Value(B)))) {
    for (auto [Stride, Number] : {std::pair(A, B), std::pair(B, A)}) {
      Value *Variable;
      const APInt *Added;
      WindowNumber Of = {Number, Number, 0};
      if (isSum(Number, Variable, Added) && Added->getSignificantBits() <= 31)
        Of = {Number, Variable, Added->getSExtValue()};
      if (std::optional<Node> Narrowed = inWindow(Subtraction, Stride, Of, Difference, At))
        return *Narrowed;
    }
    return Difference;
  }
  // nvcc adds the stride to a product: w * stride + stride.
  if (!match(Subtrahend, m_Add(m_Value(), m_Value())))
    return Difference;
  const Polynomial &Product = Sums.of(Subtrahend);
  for (const auto &[Factors, Coefficient] : Product.terms()) {
    Value *Stride = Factors.size() == 1 && Coefficient > 0 ? Sums.atom(Factors.front()) : nullptr;
    Polynomial By(32);
    By.add(Factors, 1);
    const std::optional<Polynomial> Number = Stride && Product.minima().empty() ? Product.quotient(By) : std::nullopt;
    const std::optional<unsigned> Atom = Number ? Polynomials::onlyAtom(Number->plus(-Coefficient)) : std::nullopt;
    Value *Variable = Atom ? Sums.atom(*Atom) : nullptr;
    if (Variable && bitsOf(Variable) == 32 && bitsOf(Stride) == 32 && Number->plus(-Coefficient) == Sums.of(Variable))
      if (std::optional<Node> Narrowed =
              inWindow(Subtraction, Stride, {nullptr, Variable, Coefficient}, Difference, At))
        return *Narrowed;
  }
  return Difference;
}

} // namespace gasan
