// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises the remainder of a division, and the sum of a quotient's multiple and the remainder. For a GPU, LLVM
// computes the right side of
//
//   row = i / width             q = i / width
//   column = i % width          r = i - q * width
//   row * width + column        q * width + (i - q * width)
//
// The intervals of i and q * width do not show that r is less than width, nor that the sum is i.
//
// Code from PTX, where a division by 0 is defined, has i / max(width, 1), and then i - q * width: if width is 0, the
// remainder is i. A signed division has no undefined case either: it divides by 1 if width is 0 or -1, and selects -i
// as the quotient if width is -1. The remainder is 0 then, as that of the division by 1.
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

// Returns true if V is (dividend / divisor) * factor. The factor is the divisor, 0 where the divisor is 1, or -1 where
// the divisor is 1 and the quotient is that of a division by -1.
bool matchMultiple(Value *V, Value *Dividend, Formulas::Division &D) {
  Value *A, *B;
  if (!match(V, m_Mul(m_Value(A), m_Value(B))))
    return false;
  D.Dividend = Dividend;
  for (auto [Times, Factor] : {std::pair(A, B), std::pair(B, A)}) {
    Value *Quotient = Times;
    match(Times, m_Freeze(m_Value(Quotient)));
    const bool KnowsMinusOne =
        match(Quotient, m_Select(m_SpecificICmp(CmpInst::ICMP_EQ, m_Specific(Factor), m_AllOnes()),
                                 m_Neg(m_Specific(Dividend)), m_Value(Quotient)));
    D.Factor = Factor;
    D.IsSigned = match(Quotient, m_SDiv(m_Specific(Dividend), m_Value(D.Divisor)));
    if (!D.IsSigned && (KnowsMinusOne || !match(Quotient, m_UDiv(m_Specific(Dividend), m_Value(D.Divisor)))))
      continue;
    if (D.Divisor == Factor || Formulas::isSafeDivisor(D.Divisor, Factor, D.IsSigned, KnowsMinusOne))
      return true;
  }
  return false;
}

// Returns true if V is dividend - (dividend / divisor) * factor. Sets Multiple to the subtrahend.
bool matchRemainder(Value *V, Formulas::Division &D, Value *&Multiple) {
  Value *Dividend;
  return match(V, m_Sub(m_Value(Dividend), m_Value(Multiple))) && matchMultiple(Multiple, Dividend, D);
}

} // namespace

bool Formulas::isSafeDivisor(Value *Divisor, const Value *Factor, bool IsSigned, bool KnowsMinusOne) {
  match(Divisor, m_Freeze(m_Value(Divisor)));
  if (!IsSigned)
    return match(Divisor, m_c_UMax(m_Specific(Factor), m_One()));
  CmpPredicate Predicate;
  Value *Tested;
  const APInt *Limit;
  if (!match(Divisor, m_Select(m_ICmp(Predicate, m_Value(Tested), m_APInt(Limit)), m_One(), m_Specific(Factor))))
    return false;
  if (Predicate == CmpInst::ICMP_EQ)
    return Limit->isZero() && Tested == Factor;
  return KnowsMinusOne && Predicate == CmpInst::ICMP_ULT && *Limit == 2 &&
         match(Tested, m_Add(m_Specific(Factor), m_One()));
}

std::optional<Formulas::Division> Formulas::remainderOf(Value *V) {
  Division D;
  Value *Multiple;
  if (matchRemainder(V, D, Multiple))
    return D;
  D.IsSigned = match(V, m_SRem(m_Value(D.Dividend), m_Value(D.Divisor)));
  if (!D.IsSigned && !match(V, m_URem(m_Value(D.Dividend), m_Value(D.Divisor))))
    return std::nullopt;
  D.Factor = D.Divisor;
  return D;
}

std::optional<Formulas::Division> Formulas::multipleIn(const Relation &R) {
  Division D;
  return CmpInst::isEquality(R.Predicate) && matchMultiple(R.Right, R.Left, D) ? std::optional(D) : std::nullopt;
}

// Returns the remainder of the dividends N.
Node Formulas::remainder(const Division &D, Node N, const Place *At) {
  const unsigned Bits = Nodes.bits(N);
  const Node Rest = Nodes.operate(D.IsSigned ? GASAN_PROOF_SREM : GASAN_PROOF_UREM, Bits, N, of(D.Divisor, At));
  return D.hasDivisor() ? Rest : unionOf(Rest, ifFactorIsZero(D, N, At));
}

// Returns the node in launches in which the factor, and not the divisor, may be 0. In others it is empty.
Node Formulas::ifFactorIsZero(const Division &D, Node N, const Place *At) {
  const Node Factor = of(D.Factor, At);
  return Nodes.operate(GASAN_PROOF_IF, Nodes.bits(N), N,
                       Nodes.where(CmpInst::ICMP_EQ, Factor, Nodes.constant(Nodes.bits(Factor), 0)));
}

// Returns the node if I is such a remainder or sum. Empty: I is neither.
//
// Where the division is defined, these instructions cannot break their promises. Where it is undefined, a remainder is
// any value. A division by 0 does not change the sum; the least value divided by -1 makes the sum any value.
std::optional<Node> Formulas::division(BinaryOperator &I, const Place *At) {
  const unsigned Bits = bitsOf(&I);
  Division D;
  Value *Multiple;
  if (matchRemainder(&I, D, Multiple))
    return remainder(D, of(D.Dividend, At), At);
  if (I.getOpcode() != Instruction::Add)
    return std::nullopt;
  for (unsigned Index : {0, 1})
    if (matchRemainder(I.getOperand(Index), D, Multiple) && Multiple == I.getOperand(1 - Index)) {
      Node Sum = of(D.Dividend, At);
      if (!D.IsSigned)
        return Sum;
      Node Least = Nodes.where(CmpInst::ICMP_EQ, Sum, Nodes.constant(APInt::getSignedMinValue(Bits)));
      Node MinusOne = Nodes.where(CmpInst::ICMP_EQ, of(D.Divisor, At), Nodes.constant(APInt::getAllOnes(Bits)));
      return Nodes.unlessThereIs(Sum, Nodes.operate(GASAN_PROOF_IF, Bits, Least, MinusOne));
    }
  return std::nullopt;
}

} // namespace gasan
